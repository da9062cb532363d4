// Command gitlab-mcp-server serves the GitLab API to clients of the Model Context Protocol, over stdio or
// over streamable HTTP.
package main

import (
	"os"

	"mcpbench/internal/server"
)

// The version of the release that this is or will be. It is part of every reply, so it has the same length
// in every build of a release; the commit tells builds apart.
var version = "0.1.0"

// Set by the linker where the Go tool cannot know it: -ldflags "-X main.commit=abcdef".
var commit string

func main() {
	streams := server.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(server.Main(os.Args[1:], os.Getenv, streams, server.ReadBuild(version, commit)))
}

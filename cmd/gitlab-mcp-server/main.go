// Command gitlab-mcp-server serves the GitLab API to clients of the Model Context Protocol, over stdio or
// over streamable HTTP.
package main

import (
	"os"

	"mcpbench/internal/server"
)

// Set by the linker: -ldflags "-X main.version=v1.2.3 -X main.commit=abcdef".
var version, commit string

func main() {
	streams := server.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(server.Main(os.Args[1:], os.Getenv, streams, server.ReadBuild(version, commit)))
}

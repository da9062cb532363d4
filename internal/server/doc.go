// Package server is a GitLab MCP server: one catalog of GitLab operations, cut into tools in three ways,
// served over stdio and over streamable HTTP.
//
// It refuses to act without a credential of the caller's own, to write a token anywhere, and to queue
// work that it cannot do now.
package server

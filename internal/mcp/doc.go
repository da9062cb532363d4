// Package mcp is the wire between the suite and a server under test. It builds
// a request's bytes once, sends them over stdio or streamable HTTP, and judges
// the reply while it streams past, without holding it.
//
// It is a measuring instrument and not a client library. It keeps no cache of
// answers, follows no redirect, speaks TLS only by way of net/http (ClientConn),
// opens no listening stream and answers no request of the server's. It never retries an answer it does not
// like, and it never lets a call pass unjudged: status, identity, result,
// error and shape are checked on every one of them.
package mcp

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// readFunc reads a resource from GitLab. Its path is what the URI holds between the slashes, unescaped.
type readFunc func(client *gitlab.Client, path []string, ctx gitlab.RequestOptionFunc) (any, error)

const jsonType = "application/json"

// addResources adds what a client can read without a tool: two fixed things, and three by number or path.
func addResources(s *mcp.Server) {
	fixed := func(uri, name, description string, read readFunc) {
		s.AddResource(&mcp.Resource{URI: uri, Name: name, Description: description, MIMEType: jsonType}, reader(read))
	}
	template := func(uri, name, description string, read readFunc) {
		s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: uri, Name: name, Description: description, MIMEType: jsonType}, reader(read))
	}
	fixed("gitlab://version", "version", "Version and revision of the GitLab server.", readVersion)
	fixed("gitlab://user", "user", "The user whose token is in use.", readUser)
	template("gitlab://projects/{id}", "project", "A project, by number or by full path with %2F for each slash.", readProject)
	template("gitlab://projects/{id}/issues/{iid}", "issue", "An issue of a project, by its number there.", readIssue)
	template("gitlab://projects/{id}/merge_requests/{iid}", "merge_request", "A merge request of a project, by its number there.", readMergeRequest)
}

func readVersion(c *gitlab.Client, _ []string, ctx gitlab.RequestOptionFunc) (any, error) {
	v, _, err := c.Version.GetVersion(ctx)
	return v, err
}

func readUser(c *gitlab.Client, _ []string, ctx gitlab.RequestOptionFunc) (any, error) {
	u, _, err := c.Users.CurrentUser(ctx)
	return u, err
}

func readProject(c *gitlab.Client, path []string, ctx gitlab.RequestOptionFunc) (any, error) {
	p, _, err := c.Projects.GetProject(path[0], nil, ctx)
	return p, err
}

func readIssue(c *gitlab.Client, path []string, ctx gitlab.RequestOptionFunc) (any, error) {
	iid, err := number(path[2])
	if err != nil {
		return nil, err
	}
	i, _, err := c.Issues.GetIssue(path[0], iid, ctx)
	return i, err
}

func readMergeRequest(c *gitlab.Client, path []string, ctx gitlab.RequestOptionFunc) (any, error) {
	iid, err := number(path[2])
	if err != nil {
		return nil, err
	}
	mr, _, err := c.MergeRequests.GetMergeRequest(path[0], iid, nil, ctx)
	return mr, err
}

// reader makes a handler of a readFunc.
func reader(read readFunc) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := req.Params.URI
		path, err := splitURI(uri)
		if err != nil {
			return nil, err
		}
		v, err := read(bound(ctx).client, path, gitlab.WithContext(ctx))
		if err != nil {
			return nil, readError(uri, err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", uri, err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: jsonType, Text: string(text)}}}, nil
	}
}

// splitURI returns the parts of a URI's path, unescaped. The library has matched it with a template, so
// the number of parts is right.
func splitURI(uri string) ([]string, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return nil, invalid("not a URI: %s", uri)
	}
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		if parts[i], err = url.PathUnescape(part); err != nil {
			return nil, invalid("not a URI: %s", uri)
		}
	}
	return parts, nil
}

// number reads the number of an issue or a merge request.
func number(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return 0, invalid("%q is not the number of an issue or merge request", s)
	}
	return n, nil
}

// readError says what GitLab answered instead of the resource.
func readError(uri string, err error) error {
	var refused *gitlab.ErrorResponse
	var rpc *jsonrpc.Error
	switch {
	case errors.As(err, &rpc):
		return err
	case !errors.As(err, &refused):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "GitLab did not answer"}
	case refused.HasStatusCode(http.StatusNotFound):
		return mcp.ResourceNotFoundError(uri)
	}
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternalError,
		Message: fmt.Sprintf("GitLab answered %d: %s", refused.StatusCode, refused.Message),
	}
}

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

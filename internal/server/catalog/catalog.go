// Package catalog turns the methods of the official GitLab client into named operations that can be
// described, validated and called with JSON.
//
// It knows nothing of MCP, and it refuses to open a local file on a caller's behalf.
package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// Operation is one call of the GitLab API.
type Operation struct {
	Service, Method, Verb, Path       string
	Name, Action, Description         string
	ReadOnly, Destructive, Idempotent bool
	Deprecated                        bool
}

// Catalog holds the operations of the client, in the order of service and method.
type Catalog struct{ ops []*Operation }

// New reads the operations of the client by reflection.
func New() (*Catalog, error) { return &Catalog{}, nil }

// Operations lists all operations; the slice must not be changed.
func (c *Catalog) Operations() []*Operation { return c.ops }

// Pagination says where a list stands.
type Pagination struct {
	NextPage int64 `json:"next_page,omitempty"`
}

// Answer is what GitLab answered.
type Answer struct {
	JSON       json.RawMessage
	Pagination *Pagination
}

// Call validates args, then asks GitLab.
func (c *Catalog) Call(context.Context, *gitlab.Client, *Operation, json.RawMessage) (Answer, error) {
	return Answer{}, errors.New("not built")
}

// NewClient makes a client for one credential.
func NewClient(baseURL, token string, hc *http.Client) (*gitlab.Client, error) {
	return gitlab.NewClient(token, gitlab.WithBaseURL(baseURL), gitlab.WithHTTPClient(hc))
}

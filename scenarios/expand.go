package scenarios

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// Vars are the values of placeholders. The suite sets:
//
//	binary      path of the build
//	gitlab      root URL of the stand-in
//	gitlab_api  URL of the stand-in's REST interface, /api/v4
//	token       the credential of this process (stdio) or client (HTTP)
//	port        the port that the subject must listen on (HTTP)
//	debug_port  the port of the heap reader
//	bound       how many requests of a credential may be in progress
//	clients     how many credentials a series step admits
//	otlp        base URL of the stand-in that receives OTLP
//	project_id  numeric id of a project that exists
//	project     its full path
//	download    how many bytes a download from the stand-in has
//	value       the value of a sweep in turn
//	surface     one of several surfaces
//	cert, key   paths of a certificate and its key that the suite made
//
//	session_timeout  how long a session may be silent, where sessions are to end by themselves
type Vars map[string]string

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// Expand replaces every placeholder of s. An unknown one is an error that names those that exist.
func (v Vars) Expand(s string) (string, error) {
	var unknown string
	out := placeholder.ReplaceAllStringFunc(s, func(m string) string {
		value, ok := v[m[1:len(m)-1]]
		if !ok {
			unknown = m
		}
		return value
	})
	if unknown != "" {
		return "", fmt.Errorf("placeholder %s in %q: the known ones are %s", unknown, s, v.names())
	}
	return out, nil
}

// ExpandAll replaces the placeholders of each string.
func (v Vars) ExpandAll(list []string) ([]string, error) {
	out := make([]string, len(list))
	for i, s := range list {
		var err error
		if out[i], err = v.Expand(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ExpandEnv returns the map as NAME=value strings, sorted by name.
func (v Vars) ExpandEnv(env map[string]string) ([]string, error) {
	out := make([]string, 0, len(env))
	for name, value := range env {
		expanded, err := v.Expand(value)
		if err != nil {
			return nil, err
		}
		out = append(out, name+"="+expanded)
	}
	sort.Strings(out)
	return out, nil
}

// ExpandCall returns the arguments of a call as JSON and the strings that its result must hold.
func (v Vars) ExpandCall(c *Call) (arguments json.RawMessage, contains []string, err error) {
	walked, err := v.walk(any(c.Arguments))
	if err != nil {
		return nil, nil, err
	}
	if c.Arguments == nil {
		walked = map[string]any{}
	}
	if arguments, err = json.Marshal(walked); err != nil {
		return nil, nil, fmt.Errorf("arguments of %s: %w", c.Tool, err)
	}
	contains, err = v.ExpandAll(c.Contains)
	return arguments, contains, err
}

func (v Vars) walk(node any) (any, error) {
	switch n := node.(type) {
	case string:
		return v.Expand(n)
	case map[string]any:
		out := make(map[string]any, len(n))
		for key, value := range n {
			var err error
			if out[key], err = v.walk(value); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		out := make([]any, len(n))
		for i, value := range n {
			var err error
			if out[i], err = v.walk(value); err != nil {
				return nil, err
			}
		}
		return out, nil
	default:
		return node, nil
	}
}

func (v Vars) names() string {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, "{"+name+"}")
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}

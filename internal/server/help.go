package server

import (
	"fmt"
	"io"
	"strings"

	"mcpbench/internal/server/limit"
)

const helpIntro = `gitlab-mcp-server serves the GitLab API to clients of the Model Context Protocol.

Usage:
  GITLAB_URL=https://gitlab.example.com GITLAB_TOKEN=glpat-… gitlab-mcp-server
  gitlab-mcp-server --http --gitlab-url https://gitlab.example.com

Over stdio it acts with the token in GITLAB_TOKEN. Over HTTP each request brings a token of its own, as
PRIVATE-TOKEN or as Authorization: Bearer; GitLab is asked once who it belongs to.
`

const helpExit = `
It ends when standard input closes, on SIGTERM and on SIGINT, within a second: calls in progress are
finished, if they can be by then. A second signal ends it at once.

Exit codes:
  0  it ended as it was told to
  1  it failed while it ran
  2  a flag, a value, the URL or the token is wrong or missing
  3  an address cannot be listened on
  4  GitLab does not answer (--check)
  5  GitLab refuses the token (--check)

While it runs, a GitLab that does not answer is no reason to end: over HTTP the request is answered with
502 or 504, over stdio the call's result says so.
`

const helpRefusals = `
What is over a limit is refused at once, and not kept waiting: too many in progress with JSON-RPC error
%d (HTTP 503), and so too many sessions; too many a second with %d (HTTP 429). Both say when to come
back. A bound for each credential that is less than that for all leaves room for others. A message to a
session, its stream and its end count as requests; a stream counts as one in progress only until it is
open. Credentials about which GitLab has yet to be asked share half of --max-concurrent-requests.
`

// writeHelp writes the help text: every setting with its variable and its default.
func writeHelp(w io.Writer, all []setting) {
	var b strings.Builder
	b.WriteString(helpIntro)
	group := ""
	for _, s := range all {
		if s.group != group {
			group = s.group
			fmt.Fprintf(&b, "\n%s:\n", group)
		}
		fmt.Fprintf(&b, "  --%s\n      %s\n", strings.TrimSpace(s.name+" "+s.arg), s.help)
		if line := s.origin(); line != "" {
			fmt.Fprintf(&b, "      [%s]\n", line)
		}
	}
	fmt.Fprintf(&b, helpRefusals, limit.CodeBusy, limit.CodeRate)
	b.WriteString(helpExit)
	_, _ = io.WriteString(w, b.String())
}

// origin says which variable sets a setting, and what it is by default.
func (s setting) origin() string {
	var parts []string
	if s.env != "" {
		parts = append(parts, "$"+s.env)
	}
	if v := s.value.String(); v != "" && v != "false" {
		parts = append(parts, "default "+v)
	}
	return strings.Join(parts, ", ")
}

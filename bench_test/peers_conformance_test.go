package bench_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
	"mcpbench/scenarios"
)

// conformanceClients are the editions of @modelcontextprotocol/conformance that docs/peers installs, with
// the protocol versions each is run for. The released one does not know the newest.
var conformanceClients = []struct {
	name, script string
	versions     []string
}{
	{"released", "@modelcontextprotocol/conformance/dist/index.js", []string{"2025-06-18", "2025-11-25"}},
	{"next", "conformance-next/dist/index.js", []string{"2025-11-25", "2026-07-28"}},
}

// genericScenarios are those that any server can pass.
var genericScenarios = []string{
	"caching", "dns-rebinding-protection", "http-header-validation", "input-required-result-unsupported-methods",
	"logging-set-level", "ping", "prompts-list", "resources-list", "sep-2164-resource-not-found", "server-initialize",
	"server-session-lifecycle", "server-sse-multiple-streams", "server-stateless", "tools-list",
}

// specialScenarios are all others, as patterns of package path, with the reason why they say nothing about
// a server that was not written for them.
var specialScenarios = []struct{ pattern, why string }{
	{"tools-call-*", "call tools of a reference server, such as `test_simple_text`"},
	{"json-schema-2020-12", "looks for the tool `json_schema_2020_12_tool`"},
	{"elicitation-*", "call tools that ask the user back; no tool here does"},
	{"input-required-result-*", "call tools and prompts named `test_input_required_result_…`"},
	{"server-sse-polling", "calls the tool `test_reconnection`, and passes without a check where there is none"},
	{"http-custom-header-server-validation", "needs a tool whose arguments are also sent as headers (`x-mcp-header`)"},
	{"resources-read-*", "read resources of a reference server, such as `test://static-text`"},
	{"resources-templates-read", "reads `test://template/…`"},
	{"resources-subscribe", "subscriptions are not offered"},
	{"resources-unsubscribe", "subscriptions are not offered"},
	{"prompts-get-*", "get prompts of a reference server, such as `test_simple_prompt`"},
	{"completion-complete", "completion is not offered"},
}

// TestConformance runs the conformance suite of the protocol's authors against each surface and holds the
// subject to the scenarios that any server can pass.
func TestConformance(t *testing.T) {
	for _, client := range conformanceClients {
		requirePeer(t, client.script)
	}
	s := requireSuite(t)
	for _, surface := range s.subject.SurfaceNames() {
		t.Run(fmt.Sprintf("transport=http/surface=%s", surface), func(t *testing.T) {
			address := conformanceAddress(t, s, surface)
			for _, client := range conformanceClients {
				for _, version := range client.versions {
					t.Run(fmt.Sprintf("client=%s/version=%s", client.name, version), func(t *testing.T) {
						judgeConformance(t, runConformance(t, requirePeer(t, client.script), address, version))
					})
				}
			}
		})
	}
}

// conformanceAddress starts the subject and returns an address at which no credential is needed.
func conformanceAddress(t *testing.T, s *suite, surface scenarios.Surface) string {
	t.Helper()
	gitlab := fakegitlab.New(fakegitlab.Options{})
	t.Cleanup(gitlab.Close)
	vars := standInVars(gitlab)
	vars["token"] = gitlab.Token(0)
	in, err := s.start(t, launch{name: t.Name(), transport: scenarios.HTTP, surface: surface, vars: vars})
	require.NoError(t, err)
	target, err := in.vars.Expand(s.subject.Transports[scenarios.HTTP].URL)
	require.NoError(t, err)
	header, value, err := in.credential()
	require.NoError(t, err)
	return introduce(t, target, header, value)
}

// introduce stands before the subject and adds a credential, for a client that cannot be given one. All
// else passes as it came, Host and Origin too: what is refused for them, the subject has refused.
func introduce(t *testing.T, target, header, value string) string {
	t.Helper()
	u, err := url.Parse(target)
	require.NoError(t, err)
	host := &url.URL{Scheme: u.Scheme, Host: u.Host}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(host)
			r.Out.Host = r.In.Host
			r.Out.Header.Set(header, value)
		},
		// It would tell of every stream that the client does not read to its end.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A fast answer can be here before the proxy has looked for the end of the request's body. By default
		// the first byte of an answer closes that body, and the proxy would give the whole exchange up.
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL + u.Path
}

// conformanceCheck is one of the findings in a scenario's checks.json.
type conformanceCheck struct {
	ID, Status, ErrorMessage string
	Details                  json.RawMessage
}

// untestable reports whether the check wants a tool that only a server made for it has.
func (c conformanceCheck) untestable() bool {
	var details struct{ Untestable bool }
	// Details have many forms; only in an object can they say so.
	return json.Unmarshal(c.Details, &details) == nil && details.Untestable
}

// runConformance runs every scenario there is for a version of the protocol and returns their checks. The
// exit code is that of all of them together and says nothing about those that matter.
func runConformance(t *testing.T, client peer, address, version string) map[string][]conformanceCheck {
	t.Helper()
	dir := t.TempDir()
	end := client.run(t, "server", "--url", address, "--suite", "all", "--spec-version", version, "--output-dir", dir)
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no results; the client ended with code %d:\n%.1000s\n%s", end.code, end.stdout, end.stderr)
	found := make(map[string][]conformanceCheck, len(files))
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var checks []conformanceCheck
		require.NoError(t, json.Unmarshal(data, &checks), file)
		found[scenarioOf(filepath.Base(filepath.Dir(file)))] = checks
	}
	return found
}

var stamped = regexp.MustCompile(`^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$`)

// scenarioOf takes the scenario's name out of that of its folder of results.
func scenarioOf(folder string) string { return stamped.ReplaceAllString(folder, "$1") }

// judgeConformance wants every generic scenario passed, and to know why each other one is not.
func judgeConformance(t *testing.T, found map[string][]conformanceCheck) {
	t.Helper()
	assert.Contains(t, found, "tools-list", "the scenarios that ran")
	for name, checks := range found {
		if slices.Contains(genericScenarios, name) {
			t.Run(name, func(t *testing.T) { judgeScenario(t, checks) })
			continue
		}
		assert.True(t, special(name), "%s is a new scenario: add it to genericScenarios, or to specialScenarios with a reason", name)
	}
}

func special(scenario string) bool {
	for _, s := range specialScenarios {
		if ok, _ := path.Match(s.pattern, scenario); ok {
			return true
		}
	}
	return false
}

func judgeScenario(t *testing.T, checks []conformanceCheck) {
	t.Helper()
	passed := 0
	for _, c := range checks {
		switch {
		case c.untestable():
			t.Logf("%s: %s", c.ID, c.ErrorMessage)
		case c.Status == "SUCCESS":
			passed++
		case c.Status == "FAILURE", c.Status == "WARNING":
			t.Errorf("%s: %s: %s\n%.1000s", c.ID, c.Status, c.ErrorMessage, c.Details)
		}
	}
	assert.Positive(t, passed, "checks passed, of %d", len(checks))
}

// TestConformanceDocumented keeps docs/peers/README.md in step with the scenarios above.
func TestConformanceDocumented(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(root, "docs", "peers", "README.md"))
	require.NoError(t, err)
	for _, name := range genericScenarios {
		assert.Contains(t, string(readme), "`"+name+"`", "a scenario that is run")
	}
	for _, s := range specialScenarios {
		assert.Contains(t, string(readme), fmt.Sprintf("| `%s` | %s |\n", s.pattern, s.why), "scenarios that are not counted")
	}
	assert.Equal(t, len(specialScenarios), strings.Count(string(readme), "\n| `"), "rows of that table")
}

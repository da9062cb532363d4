package bench_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module is the path that every package of this repository starts with.
const module = "mcpbench"

// allowed lists, for each package of the module, which others of the module it may import. A package
// that is not listed may be imported by nobody and import nothing: adding one is a decision.
var allowed = map[string][]string{
	"bench_test": {
		"fakegitlab", "fakegitlab/otlp", "internal/cgroup", "internal/image", "internal/load", "internal/mcp", "internal/meter", "internal/record",
		"internal/spawn", "internal/stat", "scenarios",
	},
	"cmd/gitlab-mcp-server":  {"internal/server"},
	"cmd/calibrator":         {},
	"cmd/image":              {"internal/image"},
	"cmd/page":               {"internal/compare", "internal/page", "internal/page/chart", "internal/record"},
	"cmd/size":               {"internal/page", "internal/record"},
	"fakegitlab":             {"internal/gitlabapi"},
	"fakegitlab/otlp":        {},
	"internal/cgroup":        {},
	"internal/gitlabapi":     {},
	"internal/gitlabapi/gen": {"internal/gitlabapi"},
	"internal/compare":       {"internal/page", "internal/record"},
	"internal/image":         {},
	"internal/load":          {"internal/mcp"},
	"internal/mcp":           {},
	"internal/meter":         {"internal/cgroup"},
	"internal/page":          {"internal/page/chart", "internal/record", "internal/stat"},
	"internal/page/chart":    {},
	"internal/record":        {},
	"internal/spawn":         {"internal/cgroup"},
	"internal/stat":          {},
	"scenarios":              {},
}

// confined lists the packages from outside that one folder alone may import.
var confined = map[string][]string{
	"github.com/google/go-containerregistry": {"internal/image"},
	"github.com/shirou/gopsutil/v3":          {"internal/meter"},
	"github.com/montanaflynn/stats":          {"internal/stat"},
	"github.com/BurntSushi/toml":             {"bench_test", "scenarios"},
	"gonum.org/v1/plot":                      {"internal/page/chart"},
	"golang.org/x/perf/benchfmt":             {"internal/record"},
	"testing":                                {},
	"github.com/stretchr/testify":            {},
	"github.com/modelcontextprotocol":        {"internal/server"},
}

type goPackage struct {
	ImportPath                string
	Imports                   []string
	TestImports, XTestImports []string
}

// TestImports holds the packages to the directions of the design: the subject and the suite meet only
// through the binary, and nothing points backwards.
func TestImports(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		for _, imported := range p.Imports {
			checkConfined(t, name, imported)
		}
		checkInside(t, name, p)
	}
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"/...").Output()
	require.NoError(t, err)
	var packages []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
}

func checkConfined(t *testing.T, name, imported string) {
	t.Helper()
	for prefix, owners := range confined {
		if !within(imported, prefix) {
			continue
		}
		assert.True(t, slices.ContainsFunc(owners, func(o string) bool { return within(name, o) }),
			"%s imports %s, which only %v may (in files that are not tests)", name, imported, owners)
	}
}

func checkInside(t *testing.T, name string, p goPackage) {
	t.Helper()
	all := p.Imports
	if name == "bench_test" {
		all = slices.Concat(p.Imports, p.TestImports, p.XTestImports)
	}
	for _, imported := range all {
		if !within(imported, module) {
			continue
		}
		imported = strings.TrimPrefix(imported, module+"/")
		if within(name, "internal/server") {
			assert.True(t, within(imported, "internal/server") || imported == "internal/gitlabapi",
				"%s imports %s: the subject knows nothing of the suite", name, imported)
			continue
		}
		assert.Contains(t, allowed[name], imported, "%s may not import %s", name, imported)
	}
}

// within reports whether path is prefix or lies below it.
func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

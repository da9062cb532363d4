package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChecksCanFail expects of the subject what it does not do, one thing at a time. Each check has to notice,
// fail the run, and say what it saw.
func TestChecksCanFail(t *testing.T) {
	s := requireSuite(t)
	root, err := moduleRoot()
	require.NoError(t, err)
	subject := readFile(t, filepath.Join(root, "scenarios", "subjects", "gitlab-mcp.toml"))
	for _, tt := range []struct{ name, is, expected, want string }{
		{"tools", "tools = 2", "tools = 3", "shape: "},
		{"listing", "listing_bytes = 2027", "listing_bytes = 2028", "shape: "},
		{"answer", `contains = ["{project}"]`, `contains = ["another project"]`, `"another project"`},
		{"upstream", "upstream = 1", "upstream = 2", "where 400 reads must cause 800"},
		{"admission", "[transports.stdio]\n", "[transports.stdio]\nadmission_requests = 1\n", "where 8 clients must cause 8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, subject, tt.is)
			file := filepath.Join(t.TempDir(), "subject.toml")
			// The first of its kind is that of the surface dynamic.
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(subject, tt.is, tt.expected, 1)), 0o600))
			out, err := measuring(t, "Point/transport=stdio/surface=dynamic/telemetry=off", "-subject="+file,
				"-binary="+s.build.path, "-record="+filepath.Join(t.TempDir(), "record.txt")).CombinedOutput()
			require.Error(t, err, "%s", out)
			assert.Contains(t, string(out), tt.want)
			assert.Contains(t, string(out), "FAIL")
		})
	}
}

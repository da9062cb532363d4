package bench_test

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generator is a load tool, ours or another's. It is started without an end, stopped by SIGINT, and says then
// how many calls it made.
type generator struct {
	name, path string
	// args returns the arguments, and writes what else the tool reads.
	args func(o order) ([]string, error)
	// counts finds the calls in what the tool wrote.
	counts func(ctx context.Context, f finished) (counts, error)
}

// order is what a tool is to do.
type order struct {
	dir, url string // dir is a folder for this run
	drive    drive
	message  message
}

// finished is a tool that has ended.
type finished struct {
	path, dir string
	stdout    []byte
}

// The names of the tools.
const (
	driver     = "driver"
	wrk        = "wrk"
	bombardier = "bombardier"
	vegeta     = "vegeta"
)

// findGenerators returns the tools that are in the folder or in PATH.
func findGenerators(folder string) []generator {
	var found []generator
	for _, g := range []generator{
		{name: wrk, args: wrkArgs, counts: wrkCounts},
		{name: bombardier, args: bombardierArgs, counts: bombardierCounts},
		{name: vegeta, args: vegetaArgs, counts: vegetaCounts},
	} {
		path, err := exec.LookPath(filepath.Join(folder, g.name))
		if err != nil || folder == "" {
			path, err = exec.LookPath(g.name)
		}
		if err == nil {
			g.path = path
			found = append(found, g)
		}
	}
	return found
}

// driverGenerator is the suite's own driver, in a process of this binary.
func driverGenerator() (generator, error) {
	path, err := os.Executable()
	return generator{name: driver, path: path, args: driverArgs, counts: driverCounts}, err
}

func driverArgs(o order) ([]string, error) {
	return childArgs(childJob{Load: &loadJob{
		URL: o.url, Credentials: o.drive.credentials, InFlight: o.drive.inFlight, Methods: o.drive.methods,
	}})
}

// driverCounts reads the first line; what follows is package testing's.
func driverCounts(_ context.Context, f finished) (c counts, err error) {
	err = json.NewDecoder(bytes.NewReader(f.stdout)).Decode(&c)
	return c, err
}

// version is that of the module a tool was built from, or else what it says of itself.
func (g generator) version(ctx context.Context) string {
	if info, err := buildinfo.ReadFile(g.path); err == nil {
		return g.name + " " + info.Main.Version
	}
	// It tells its version and exits with 1.
	out, _ := exec.CommandContext(ctx, g.path, "-v").CombinedOutput()
	words := strings.Fields(string(out))
	return strings.Join(words[:min(2, len(words))], " ")
}

// waits is how long a tool waits for a reply: longer than any is held, for none is to fail by that.
const waits = "600s"

// wrkScript makes wrk send one request, and say at its end what became of the calls.
const wrkScript = `wrk.method = "POST"
wrk.body = %q
%s
done = function(summary)
	local e = summary.errors
	local broken = e.connect + e.read + e.write + e.timeout
	io.write(string.format('\n{"OK":%%d,"Failed":%%d}\n', summary.requests - e.status, e.status + broken))
end
`

func wrkArgs(o order) ([]string, error) {
	path := filepath.Join(o.dir, "wrk.lua")
	script := fmt.Sprintf(wrkScript, o.message.body, strings.Join(o.message.lines("wrk.headers[%q] = %q"), "\n"))
	return []string{"-t1", "-c", strconv.Itoa(o.drive.connections()), "-d", waits, "--timeout", waits, "-s", path, o.url},
		os.WriteFile(path, []byte(script), 0o600)
}

// wrkCounts reads the line that the script wrote after wrk's own.
func wrkCounts(_ context.Context, f finished) (c counts, err error) {
	at := strings.LastIndex(strings.TrimSpace(string(f.stdout)), "\n") + 1
	err = json.Unmarshal(f.stdout[at:], &c)
	return c, err
}

func bombardierArgs(o order) ([]string, error) {
	args := []string{
		"-m", "POST", "-c", strconv.Itoa(o.drive.connections()), "-d", waits, "-t", waits,
		"-p", "result", "-o", "json", "-b", string(o.message.body),
	}
	for _, line := range o.message.lines("%s: %s") {
		args = append(args, "-H", line)
	}
	return append(args, o.url), nil
}

func bombardierCounts(_ context.Context, f finished) (counts, error) {
	var report struct {
		Result struct{ Req1xx, Req2xx, Req3xx, Req4xx, Req5xx, Others int64 }
	}
	err := json.Unmarshal(f.stdout, &report)
	r := report.Result
	return counts{OK: r.Req2xx, Failed: r.Req1xx + r.Req3xx + r.Req4xx + r.Req5xx + r.Others}, err
}

// vegetaArgs gives vegeta a worker for each connection and no rate, which makes its loop a closed one.
func vegetaArgs(o order) ([]string, error) {
	body, targets := filepath.Join(o.dir, "body"), filepath.Join(o.dir, "targets")
	if err := os.WriteFile(body, o.message.body, 0o600); err != nil {
		return nil, err
	}
	target := fmt.Sprintf("POST %s\n%s\n@%s\n", o.url, strings.Join(o.message.lines("%s: %s"), "\n"), body)
	n := strconv.Itoa(o.drive.connections())
	return []string{
		"attack", "-rate=0", "-duration=0", "-workers=" + n, "-max-workers=" + n, "-timeout=" + waits, "-max-body=0",
		"-targets=" + targets, "-output=" + vegetaResults(o.dir),
	}, os.WriteFile(targets, []byte(target), 0o600)
}

func vegetaResults(dir string) string { return filepath.Join(dir, "results") }

func vegetaCounts(ctx context.Context, f finished) (counts, error) {
	out, err := exec.CommandContext(ctx, f.path, "report", "-type=json", vegetaResults(f.dir)).Output()
	if err != nil {
		return counts{}, fmt.Errorf("vegeta report: %w", err)
	}
	return parseVegeta(out)
}

func parseVegeta(out []byte) (counts, error) {
	var report struct {
		Requests int64
		Codes    map[string]int64 `json:"status_codes"`
		Errors   []string
	}
	err := json.Unmarshal(out, &report)
	ok := report.Codes["200"]
	return counts{OK: ok, Failed: report.Requests - ok, Reasons: strings.Join(report.Errors, "; ")}, err
}

func TestGeneratorCounts(t *testing.T) {
	wrkOut := "Running 10m test\n  16 requests in 1.00s, 3MB read\n\n{\"OK\":14,\"Failed\":2}\n"
	c, err := wrkCounts(t.Context(), finished{stdout: []byte(wrkOut)})
	require.NoError(t, err)
	assert.Equal(t, counts{OK: 14, Failed: 2}, c)

	c, err = bombardierCounts(t.Context(), finished{stdout: []byte(`{"spec":{},"result":{"req1xx":0,"req2xx":14,"req5xx":1,"others":1}}`)})
	require.NoError(t, err)
	assert.Equal(t, counts{OK: 14, Failed: 2}, c)

	c, err = parseVegeta([]byte(`{"requests":16,"status_codes":{"0":2,"200":14},"errors":["EOF","reset"]}`))
	require.NoError(t, err)
	assert.Equal(t, counts{OK: 14, Failed: 2, Reasons: "EOF; reset"}, c)
}

func TestCountsCheck(t *testing.T) {
	job := stubJob{Calls: 100, Clients: 4}
	require.NoError(t, counts{OK: 100}.check(job))
	require.NoError(t, counts{OK: 100, Failed: 4}.check(job))
	require.ErrorContains(t, counts{OK: 100, Failed: 5}.check(job), "5 failed where 4 were held")
	require.ErrorContains(t, counts{OK: 99, Failed: 1, Reasons: "EOF"}.check(job), "99 calls succeeded of 100")
	require.Error(t, counts{OK: 101}.check(job))
}

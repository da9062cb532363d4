package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/record"
)

// A process whose memory is known: 50 MiB, a quarter for each credential, and with four calls in flight of each
// another two for each call.
const (
	base, held, call = 50 * mebi, mebi / 4, 2 * mebi
	each             = 4
)

// exactRecord writes the record of such a process, measured up to 100 credentials.
func exactRecord(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	w, err := record.Create(filepath.Join(dir, "series.txt"), nil)
	require.NoError(t, err)
	for _, creds := range []float64{1, 2, 5, 10, 20, 50, 100} {
		at := base + creds*held
		r := record.Result{
			Name: fmt.Sprintf("Series/subject=gitlab-mcp/transport=http/surface=meta/creds=%.0f", creds), Iterations: 1,
			Config:   map[string]string{record.KeyHost: "host-1", record.KeySettings: "a=b"},
			Identity: map[string]string{record.KeyBuild: "server 1", record.KeyDate: "2026-01-02T03:04:05Z", record.KeyRound: "1"},
			Values: []record.Value{
				{Unit: "clients", Amount: creds}, {Unit: "inflight", Amount: each * creds},
				{Unit: "all-RSS-bytes", Amount: at}, {Unit: "rest-RSS-bytes", Amount: at}, {Unit: "rest-heap-bytes", Amount: creds * held},
				{Unit: "peak-RSS-bytes", Amount: at + each*creds*call},
				{Unit: "calls/s", Amount: 1000}, {Unit: "cpu-ns/call", Amount: 1e6}, {Unit: "call-p99-ns", Amount: 5e6 * creds},
			},
		}
		require.NoError(t, w.Write(r))
	}
	require.NoError(t, w.Close())
	return dir
}

// size runs the command.
func size(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestKnownProcess(t *testing.T) {
	dir := exactRecord(t)
	for _, tt := range []struct {
		name                 string
		credentials, calling int
		memory               float64 // MiB
		p99                  float64 // ms, of the lightest step with as many calls in flight; 0 for none
	}{
		{"few", 10, 1, 50 + 2.5 + 2, 5},
		{"as in a step", 50, 50, 50 + 12.5 + 100, 100},
		{"many held, few calling", 100, 4, 50 + 25 + 8, 5},
		{"more than measured", 200, 100, 50 + 50 + 200, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := size("-record", dir, "-surface", "meta", "-credentials", fmt.Sprint(tt.credentials),
				"-calling", fmt.Sprint(tt.calling), "-json")
			require.Zero(t, code, errs)
			var got struct {
				Memory struct{ Middle float64 }         `json:"memoryBytes"`
				Limit  float64                          `json:"limitBytes"`
				Soft   float64                          `json:"softLimitBytes"`
				P99    *struct{ Middle float64 }        `json:"callP99Nanoseconds"`
				Cores  struct{ Lo, Middle, Hi float64 } `json:"cores"`
				Beyond string                           `json:"extrapolated"`
				Record []string                         `json:"record"`
			}
			require.NoError(t, json.Unmarshal([]byte(out), &got))
			assert.InDelta(t, tt.memory, got.Memory.Middle/mebi, 0.01)
			assert.InDelta(t, 1.25*tt.memory, got.Limit/mebi, 1.01, "rounded up to whole MiB")
			assert.InDelta(t, 0.9*got.Limit/mebi, got.Soft/mebi, 1)
			assert.InDelta(t, 1, got.Cores.Middle, 0.001, "1000 calls a second of a millisecond each")
			assert.Equal(t, []string{filepath.Join(dir, "series.txt")}, got.Record)
			if tt.p99 == 0 {
				assert.Nil(t, got.P99)
				assert.Contains(t, got.Beyond, "up to 100 credentials")
				return
			}
			assert.InDelta(t, tt.p99, got.P99.Middle/1e6, 0.01)
			assert.Empty(t, got.Beyond)
		})
	}
}

func TestAnswerForPeople(t *testing.T) {
	code, out, errs := size("-record", exactRecord(t), "-surface", "meta", "-credentials", "50", "-calling", "50")
	require.Zero(t, code, errs)
	for _, want := range []string{
		"50 credentials held, 50 of them with a call in flight at all times",
		"memory expected  162 MiB\n", "memory request   163 MiB\n", "memory limit     204 MiB, 1.25 times the upper end\n", "GOMEMLIMIT       183 MiB\n",
		"server 1 on host-1, measured until 2026-01-02",
		"    value: 183MiB", "memory: 204Mi", "cpu: 1000m\n", "mem_limit: 204m", "MemoryMax=204M",
		"ExecStart=/usr/local/bin/gitlab-mcp-server --tool-surface meta --http --max-http-clients 50",
	} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "large answers", "the record has none")
	code, out, errs = size("-record", exactRecord(t), "-surface", "meta", "-people", "60", "-every", "60s", "-for", "systemd")
	require.Zero(t, code, errs)
	assert.Contains(t, out, "60 people, a call of each every 1m0s: 1 calls a second")
	assert.Contains(t, out, "memory expected  67 MiB\n", "50, 15 for those who hold, 2 for the one who calls")
	assert.Contains(t, out, "cores            under 0.01\n")
	assert.NotContains(t, out, "kubernetes")
}

// Who has only a number of people is told of each surface. Where a rate fits into no load there is nothing to say of
// calls in flight.
func TestEverySurface(t *testing.T) {
	dir := exactRecord(t)
	code, out, errs := size("-record", dir, "-people", "60")
	require.Zero(t, code, errs)
	assert.Contains(t, out, "meta over http: 60 people, a call of each every 1m0s: 1 calls a second, 0.00400 in flight on average and no more than 1 at 99% of all moments\n")
	assert.Contains(t, out, "memory limit     84 MiB")
	assert.Contains(t, out, "Name a surface with -surface")
	assert.NotContains(t, out, "For kubernetes")
	code, out, errs = size("-record", dir, "-people", "100000", "-every", "1s")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "meta over http: 100,000 people, a call of each every 1s: 100,000 calls a second\n")
	assert.Contains(t, errs, "no limit can be given on meta, beyond the 500 calls a second")
	assert.Contains(t, errs, "such as -people 50000, and start as many processes")
}

// Calls with large answers and further surfaces are in no load of the model, so the answer says what they were seen to
// take.
func TestBesideTheModel(t *testing.T) {
	dir := exactRecord(t)
	w, err := record.Create(filepath.Join(dir, "sizing.txt"), nil)
	require.NoError(t, err)
	add := func(name string, values ...record.Value) {
		require.NoError(t, w.Write(record.Result{
			Name: name, Iterations: 1, Config: map[string]string{record.KeyHost: "host-1", record.KeySettings: "answer-bytes=20971520"},
			Identity: map[string]string{record.KeyBuild: "server 1", record.KeyDate: "2026-01-02T03:04:05Z", record.KeyRound: "1"},
			Values:   values,
		}))
	}
	add("Ladder/subject=gitlab-mcp/transport=http/surface=dynamic/calls=44",
		record.Value{Unit: "burst-calls", Amount: 12}, record.Value{Unit: "peak-RSS-bytes", Amount: 2560 * mebi})
	for i, surfaces := range []string{"meta", "dynamic+meta", "dynamic+meta+individual", "individual"} {
		add("Configs/subject=gitlab-mcp/transport=http/surface="+surfaces+"/creds=16", record.Value{Unit: "clients", Amount: 16},
			record.Value{Unit: "surfaces", Amount: float64(1 + strings.Count(surfaces, "+"))},
			record.Value{Unit: "rest-RSS-bytes", Amount: float64(20+i) * mebi})
	}
	require.NoError(t, w.Close())
	code, out, errs := size("-record", dir, "-surface", "meta", "-people", "60", "-for", "none")
	require.Zero(t, code, errs)
	assert.Contains(t, out, "large answers    not in this: 44 calls, 12 of them at once, each with an answer of 20 MiB, took the process to 2.50 GiB\n")
	assert.Contains(t, out, "more surfaces    not in this: dynamic, meta and individual in one process took 22 MiB at rest with 16 credentials, and meta alone 20 MiB\n")
}

func TestWithheld(t *testing.T) {
	dir := exactRecord(t)
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"more than twice the measured", []string{"-credentials", "201", "-calling", "1"}, "more than 2 times"},
		{"not followed at all", []string{"-credentials", "101", "-calling", "1", "-beyond", "1"}, "beyond the 100 credentials"},
		{"as JSON", []string{"-credentials", "201", "-calling", "1", "-json"}, "no limit can be given"},
		{"a rate never seen", []string{"-people", "100", "-every", "1ms"}, "beyond the 500 calls a second"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := size(append([]string{"-record", dir, "-surface", "meta"}, tt.args...)...)
			assert.Equal(t, 1, code)
			assert.Contains(t, errs, tt.want)
			assert.NotContains(t, out, "limit:")
		})
	}
	code, _, errs := size("-record", dir, "-surface", "meta", "-credentials", "500", "-calling", "1", "-beyond", "5")
	assert.Zero(t, code, errs)
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "give either"},
		{[]string{"-people", "1", "-json"}, 2, "name it with -surface"},
		{[]string{"-people", "1", "-transport", "tcp"}, 2, "there are http and stdio"},
		{[]string{"-people", "1", "-every", "90"}, 2, "use a form like 90s"},
		{[]string{"-h"}, 0, "usage: size"},
		{[]string{"-nope"}, 2, "not defined"},
		{[]string{"-surface", "a", "more"}, 2, `unexpected argument "more"`},
		{[]string{"-surface", "a"}, 2, "give either"},
		{[]string{"-surface", "a", "-people", "1", "-calling", "1"}, 2, "give either"},
		{[]string{"-surface", "a", "-people", "-1"}, 2, "at least 1"},
		{[]string{"-surface", "a", "-people", "1", "-every", "0s"}, 2, "above zero"},
		{[]string{"-surface", "a", "-credentials", "1", "-calling", "2"}, 2, "no more than"},
		{[]string{"-surface", "a", "-people", "1", "-beyond", "0.5"}, 2, "at least 1"},
		{[]string{"-surface", "a", "-people", "1", "-for", "nomad"}, 2, "kubernetes"},
		{[]string{"-surface", "a", "-people", "1"}, 1, "no record under results"},
		{[]string{"-surface", "a", "-people", "1", "-record", "nowhere"}, 1, "nowhere"},
		{[]string{"-surface", "a", "-people", "1", "-record", exactRecord(t)}, 1, "there are meta over http"},
	} {
		code, _, errs := size(tt.args...)
		assert.Equal(t, tt.code, code, "%v: %s", tt.args, errs)
		assert.Contains(t, errs, tt.want, tt.args)
	}
}

func TestOnlyRecord(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put := func(path string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	put("results/a/points.txt")
	put("results/a/series.txt")
	got, err := onlyRecord("results")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("results", "a"), got)
	put("results/b/points.txt")
	_, err = onlyRecord("results")
	require.ErrorContains(t, err, "several hosts")
}

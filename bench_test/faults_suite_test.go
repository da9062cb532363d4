package bench_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The patterns that the suite's own faults are tried on, and the names of the results.
const (
	pointPattern  = "Point/transport=http/surface=plain/telemetry=off"
	everyPattern  = "Point/transport=http"
	seriesPattern = "Series/surface=plain/creds="
	seriesResult  = "Series/subject=calibrator/transport=http/surface=plain/creds=1"
)

// ownFaults are those of the suite's surroundings.
func ownFaults() []faultCase {
	oneCredential := []string{"-creds=1", "-step-duration=1s"}
	return []faultCase{
		{
			what: "the port is taken", within: soonWithin, pattern: pointPattern, result: pointOverHTTP, prepare: takePort,
			ends: failsUnrecorded(), phase: "idle", says: []string{"start: the port is in use: something else listens on 127.0.0.1:"},
		},
		{
			what: "too few descriptors for the clients", within: soonWithin, pattern: pointPattern, result: pointOverHTTP, prepare: underLimit("-n 60"),
			ends: failsUnrecorded(), phase: "admit", says: []string{"too many open files"}, tail: saysServes,
		},
		{
			what: "too few descriptors for a step", within: soonWithin, pattern: seriesPattern, flags: oneCredential, prepare: underLimit("-n 100"),
			ends: leftOut(), says: []string{"descriptors: 1 credentials need 208 descriptors in a process, and 100 are allowed"},
		},
		{
			what: "the disk is full", pattern: everyPattern, result: pointOverHTTP, prepare: fillDisk,
			ends: failsUnrecorded(), phase: "record",
			says: []string{"no space left on device; it keeps the 1 results written before this one", "surface=large/telemetry=off: not measured, for it could not be kept"},
		},
		{
			what: "the record may not grow (`ulimit -f`)", pattern: everyPattern, result: pointOverHTTP, prepare: limitFile,
			ends: failsUnrecorded(), phase: "record",
			says: []string{"file too large; it keeps the 1 results written before this one", "surface=large/telemetry=off: not measured, for it could not be kept"},
		},
		{
			what: "the record is cut short", pattern: pointPattern, result: pointOverHTTP, prepare: cutRecord,
			ends: goesOn(), says: []string{"the last line is cut short"},
		},
		{
			what: "the record is of a newer schema", within: soonWithin, pattern: pointPattern, prepare: newerSchema,
			ends: notBegun(), says: []string{"schema 99 is newer than 1, the newest this program reads"},
		},
		{
			what: "the memory budget is passed", within: soonWithin, pattern: seriesPattern, result: seriesResult, flags: append(oneCredential, "-memory-budget=1"),
			ends: endsStep(), phase: "admit", says: []string{"ended early: the memory budget was passed"}, tail: saysServes,
		},
		{
			what: "the server answers no call any more", within: soonWithin, pattern: pointPattern, result: pointOverHTTP,
			args: []string{"-stall=0s:1h"}, flags: []string{"-latency-ceiling=1s"},
			ends: failsUnrecorded(), phase: "admit", says: []string{"no answer within 3s: call (tools/call)"}, tail: saysServes,
		},
		{
			what: "the same in a step", pattern: seriesPattern, result: seriesResult,
			args: []string{"-stall=0s:1h"}, flags: append(oneCredential, "-latency-ceiling=1s"),
			ends: endsStep(), phase: "alone", says: []string{"1 calls had no answer long after the load"}, tail: saysServes,
		},
	}
}

// gitlabFaultCases are those of the GitLab stand-in.
func gitlabFaultCases() []faultCase {
	return []faultCase{
		withGitlab("429", failsUnrecorded(), "client 0: list (tools/list): refused: status 503: ", "GitLab is busy (status 429)"),
		withGitlab("503", failsUnrecorded(), "client 0: list (tools/list): refused: status 503: ", "GitLab is busy (status 503)"),
		withGitlab("500", failsUnrecorded(), "client 0: list (tools/list): failed: status 502: ", "GitLab answered with status 500"),
		withGitlab("broken-json", failsUnrecorded(), "client 0: call (tools/call): failed: isError: GitLab's answer could not be read"),
		withGitlab("reset", failsUnrecorded(), "client 0: list (tools/list): failed: status 502: ", "GitLab cannot be reached: ", "connection reset by peer"),
		withGitlab("hang", failsUnrecorded(), "client 0: no answer within 3s: list (tools/list)"),
		{
			what: "`-gitlab-fault=slow`", pattern: "Point/transport=http/surface=upstream/telemetry=off", flags: []string{"-gitlab-fault=slow"},
			result: strings.Replace(pointOverHTTP, "plain", "upstream", 1), ends: measuresSlow(),
		},
	}
}

// slowAnswer is what a slow GitLab takes at least: eight pieces of a body come in seven pauses.
const slowAnswer = 7 * 10 * time.Millisecond

// measuresSlow is measuresWell with calls that take as long as GitLab does.
func measuresSlow() aftermath {
	ends := measuresWell()
	ends.check = func(t *testing.T, c *faultCase, f *faultTrial) {
		t.Helper()
		checkMeasured(t, c, f)
		result := c.gained(t, f)[0]
		p50, ok := result.Value("call-p50-ns")
		assert.True(t, ok && p50 >= float64(slowAnswer), "p50 of %v", time.Duration(p50))
	}
	return ends
}

// withGitlab is a point scenario on the server of this repository with a stand-in that fails.
func withGitlab(how string, ends aftermath, says ...string) faultCase {
	flags := []string{"-gitlab-fault=" + how}
	if how == "hang" {
		flags = append(flags, "-latency-ceiling=1s") // the others answer, in as much time as a busy host takes
	}
	return faultCase{
		what: "`-gitlab-fault=" + how + "`", server: true,
		pattern: "Point/transport=http/surface=dynamic/telemetry=off",
		result:  "Point/subject=gitlab-mcp/transport=http/surface=dynamic/telemetry=off",
		flags:   flags,
		ends:    ends, phase: "admit", says: says, tail: "msg=serving", within: soonWithin,
	}
}

// takePort has a stranger listen, who answers as if it were ready, where the subject file has the server listen.
func takePort(t *testing.T, f *faultTrial) {
	t.Helper()
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(stranger.Close)
	_, port, err := net.SplitHostPort(stranger.Listener.Addr().String())
	require.NoError(t, err)
	f.edit(t, "{port}", port)
}

func underLimit(limit string) func(*testing.T, *faultTrial) {
	return func(_ *testing.T, f *faultTrial) { f.limit = limit }
}

// fillDisk puts the record on a disk that has room for the lines of a plan and not for a result.
func fillDisk(t *testing.T, f *faultTrial) {
	t.Helper()
	const page, room = 4096, 1000
	dir := filepath.Join(filepath.Dir(f.record), "disk")
	require.NoError(t, os.Mkdir(dir, 0o700))
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m")
	if errors.Is(err, unix.EPERM) {
		f.skip = "only root can mount a small disk; `ulimit -f` is tried in its place"
		return
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	// A line of prose leaves as much room in the record's last page.
	lacks := (2*page - room - (len(f.held)+len("## \n"))%page) % page
	f.held = "## " + strings.Repeat("x", lacks) + "\n" + f.held
	f.text = f.held
	require.Equal(t, page-room, len(f.text)%page)
	f.record = filepath.Join(dir, "record.txt")
	require.NoError(t, os.WriteFile(f.record, []byte(f.text), 0o600))
	require.Error(t, os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 2<<20), 0o600))
}

// limitFile lets files have room for the lines of a plan and not for a result. The unit is 512 bytes, by POSIX.
func limitFile(_ *testing.T, f *faultTrial) { f.limit = fmt.Sprintf("-f %d", len(f.held)/512+2) }

// cutRecord adds a second result to the record, but for its end.
func cutRecord(t *testing.T, f *faultTrial) {
	t.Helper()
	i := strings.LastIndex(f.held, "\nBenchmark")
	require.Positive(t, i)
	second := strings.Replace(f.held[i+1:], "transport=stdio", "transport=http", 1)
	at := 1 + rand.IntN(len(second)-2)
	t.Logf("the second result is cut after %d of %d bytes", at, len(second))
	f.text = f.held + second[:at]
}

func newerSchema(t *testing.T, f *faultTrial) {
	t.Helper()
	f.text = strings.Replace(f.held, "\nschema: 1\n", "\nschema: 99\n", 1)
	require.NotEqual(t, f.held, f.text)
}

package record

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// errFull stands for a disk without room.
var errFull = errors.New("no space left on device")

// memFile is a file in memory whose disk fills after room bytes.
type memFile struct {
	data    []byte
	room    int
	syncErr error
	cutErr  error
	closed  bool
}

func (f *memFile) Write(p []byte) (int, error) {
	if n := f.room - len(f.data); n < len(p) {
		f.data = append(f.data, p[:max(n, 0)]...)
		return max(n, 0), errFull
	}
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *memFile) Sync() error { return f.syncErr }

func (f *memFile) Truncate(size int64) error {
	if f.cutErr == nil {
		f.data = f.data[:size]
	}
	return f.cutErr
}

func (f *memFile) Seek(offset int64, _ int) (int64, error) { return offset, nil }

func (f *memFile) Close() error {
	if f.closed {
		return os.ErrClosed
	}
	f.closed = true
	return nil
}

const pointName = "Point/subject=s/transport=http/surface=meta/telemetry=off"

// sample is a result that uses every part of the text.
func sample() Result {
	return Result{
		Name:       pointName,
		Iterations: 1,
		Values: []Value{
			{"idle-RSS-bytes", 18_350_080},
			{"further-RSS-bytes/client", -4096.5},
			{"loaded-cpu-cores", 0.974},
			{"cpu-ns/call", 7_394_112},
			{"call-p99-ns", 5_300_123_457},
			{"list-bytes", 3_145_728_001},
			{"tools", 1230},
			{"failed-calls", 0},
		},
		Config: map[string]string{
			KeyGOOS: "linux", KeyGOARCH: "amd64", KeyHost: "reference", KeyCPU: "Example CPU: 2 cores",
			KeyKernel: "6.18.0", KeyMemory: "24 GiB", KeySubjectCPUs: "1", KeySuiteCPUs: "0",
			KeyGoSuite: "go1.26.8", KeyGoSubject: "go1.26.8", KeyMethod: "closed-loop nearest-rank",
			KeySettings: "http-credentials=64 stdio-processes=8",
		},
		Identity: map[string]string{
			KeyBuild: "0.1.0", KeySHA256: "aa11", KeyCommit: "1111111", KeyDate: "2026-11-30T10:00:00Z", KeyRound: "1",
		},
		Certificate: []string{"12 sends were late: the worst by 31 ms", "steal time rose"},
		Absent: map[string]string{"rest-PSS-bytes": "/proc/PID/smaps_rollup: permission denied",
			"find-p50-ns": "the surface has no such call", "find-calls": "the surface has no such call"},
		Stop: "memory budget: the next step would need 31 GiB",
	}
}

// vary returns a copy of the sample, changed.
func vary(change func(*Result)) Result {
	r := sample()
	change(&r)
	return r
}

// nextRound is a comparable result of another build, one round on.
func nextRound(r Result) Result {
	r.Identity = maps.Clone(r.Identity)
	r.Identity[KeyRound], r.Identity[KeyDate], r.Identity[KeyCommit] = "2", "2026-11-30T10:05:00Z", "2222222"
	r.Certificate, r.Absent, r.Stop = nil, map[string]string{}, ""
	return r
}

// bare removes where a result was read from, which no two files share.
func bare(results []Result) []Result {
	out := make([]Result, len(results))
	for i, r := range results {
		r.File, r.Line = "", 0
		out[i] = r
	}
	return out
}

// written writes results into a new file and returns its path.
func written(t *testing.T, plan Plan, results ...Result) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record.txt")
	w, err := Create(path, plan)
	require.NoError(t, err)
	for _, r := range results {
		require.NoError(t, w.Write(r))
	}
	require.NoError(t, w.Close())
	return path
}

var _ file = (*memFile)(nil)

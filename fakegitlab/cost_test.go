package fakegitlab_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
)

// hot are the reads a load run asks for, over and over.
var hot = []string{
	"/version", "/metadata", "/user", "/projects", "/projects?page=2", "/issues", "/merge_requests", "/users",
	"/projects/%d", "/projects/%d/issues", "/projects/%d/issues/1", "/projects/%d/merge_requests",
	"/projects/%d/merge_requests/1", "/projects/%d/pipelines", "/projects/%d/repository/branches",
}

func TestHeapAfterHotReads(t *testing.T) {
	before := heap()
	s := fakegitlab.New(fakegitlab.Options{})
	for project := range 25 {
		for _, path := range hot {
			get(t, s, strings.ReplaceAll(path, "%d", fmt.Sprint(project+1)))
		}
	}
	after := heap()
	s.Close()
	t.Logf("heap held: %d KiB", (after-before)>>10)
	assert.Less(t, after-before, int64(15<<20))
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestCPUOfACachedRead compares a project with a bare handler of the same size. The budget is 30 µs of CPU
// a request beyond net/http; the bound leaves room for a busy machine and the race detector.
func TestCPUOfACachedRead(t *testing.T) {
	const requests, budget = 500, 30 * time.Microsecond
	s := start(t, fakegitlab.Options{})
	full := get(t, s, "/projects/1")
	bare := bareServer(t, []byte(full.body))
	measure := func(url string) time.Duration {
		cpuOf(t, url, s.Token(0), requests/10)
		return cpuOf(t, url, s.Token(0), requests) / requests
	}
	least := time.Hour
	for range 3 { // the least of three, as whatever else runs only adds
		least = min(least, measure(s.APIURL()+"/projects/1")-measure(bare))
	}
	t.Logf("CPU beyond net/http: %v a request", least)
	assert.Less(t, least, 3*budget)
}

func cpuOf(t *testing.T, url, token string, requests int) time.Duration {
	t.Helper()
	before := cpu(t)
	for range requests {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		req.Header.Set("Private-Token", token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		require.NoError(t, resp.Body.Close())
	}
	return cpu(t) - before
}

// cpu is what the test process has used, user and system.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func bareServer(t *testing.T, body []byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestSizes holds the bodies near those of a real instance; they are larger because every field the
// client knows is there.
func TestSizes(t *testing.T) {
	s := start(t, fakegitlab.Options{})
	tests := map[string]struct {
		items     int
		low, high int
	}{
		"/version":                               {1, 40, 100},
		"/metadata":                              {1, 150, 300},
		"/users?per_page=100":                    {100, 400, 2000},
		"/projects/1":                            {1, 4000, 9000},
		"/projects/1/issues?per_page=20":         {20, 1300, 2800},
		"/projects/1/merge_requests?per_page=20": {20, 1900, 3400},
		"/projects/1/merge_requests/1":           {1, 3500, 6000},
		"/projects/1/repository/commits":         {20, 700, 1400},
		"/projects/1/pipelines":                  {20, 200, 450},
		"/projects/1/pipelines/1001":             {1, 800, 1300},
		"/projects/1/issues/1/notes":             {20, 900, 1600},
		"/projects/1/repository/branches":        {20, 800, 1500},
	}
	for path, test := range tests {
		t.Run(path, func(t *testing.T) {
			size := len(get(t, s, path).body) / test.items
			t.Logf("%d bytes an item", size)
			assert.GreaterOrEqual(t, size, test.low)
			assert.LessOrEqual(t, size, test.high)
		})
	}
}

func BenchmarkCachedProject(b *testing.B) { benchmarkRead(b, "/projects/1", false) }
func BenchmarkFreshProject(b *testing.B)  { benchmarkRead(b, "/projects/1", true) }
func BenchmarkFreshIssues(b *testing.B)   { benchmarkRead(b, "/projects/1/issues", true) }

// benchmarkRead measures one read through net/http; fresh ones ask for a different address each time.
func benchmarkRead(b *testing.B, path string, fresh bool) {
	b.Helper()
	s := fakegitlab.New(fakegitlab.Options{})
	defer s.Close()
	i := 0
	for b.Loop() {
		url := s.APIURL() + path
		if fresh {
			i++
			url += fmt.Sprintf("?n=%d", i)
		}
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
		require.NoError(b, err)
		req.Header.Set("Private-Token", s.Token(0))
		resp, err := http.DefaultClient.Do(req)
		require.NoError(b, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

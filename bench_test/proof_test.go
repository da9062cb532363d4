package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpbench/internal/cgroup"
	"mcpbench/internal/record"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

var needFile = flag.String("need", "", "with -run '^TestProof$': the `file` of needs, one after the other as cmd/size -json writes them, that are put to the test")

// need is what a model says that a load takes.
type need struct {
	Transport   scenarios.Transport `json:"transport"`
	Surface     scenarios.Surface   `json:"surface"`
	Credentials int                 `json:"credentials"` // that are held
	Calling     int                 `json:"calling"`     // of them, with a call in flight at all times
	Limit       int64               `json:"limitBytes"`
	Soft        int64               `json:"softLimitBytes"`
}

// readNeeds reads one need after the other.
func readNeeds(path string) ([]need, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var needs []need
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var n need
		if err := d.Decode(&n); err != nil {
			return nil, fmt.Errorf("%s: need %d: %w", path, len(needs)+1, err)
		}
		if n.Transport != scenarios.HTTP || n.Calling < 1 || n.Credentials < n.Calling || n.Limit < 1 || n.Soft < 1 {
			return nil, fmt.Errorf("%s: need %d: want one over http, with at least one calling, no more than there are credentials, and both limits",
				path, len(needs)+1)
		}
		needs = append(needs, n)
	}
	if len(needs) == 0 {
		return nil, fmt.Errorf("%s holds no need", path)
	}
	return needs, nil
}

// What a model may ask for, and how the smallest limit is looked for.
const (
	// mostAsked is how many times the real need a model may ask for.
	mostAsked = 1.5
	// proofLives is how often the process must live under a limit for it to be enough, and proofGrain how close
	// the least such limit is approached.
	proofLives, proofGrain = 3, 0.02
	proofLoad              = 20 * time.Second
)

// TestProof starts the server under the memory limit that a model gave, drives exactly the load that it was given for,
// and looks for the least limit under which the server serves that.
func TestProof(t *testing.T) {
	if *needFile == "" {
		t.Skip("no -need: `make prove-sizing` puts the model's limits to the test")
	}
	needs, err := readNeeds(*needFile)
	require.NoError(t, err)
	s := gateSuite(t)
	for _, n := range needs {
		t.Run(fmt.Sprintf("surface=%s/creds=%d/calling=%d", n.Surface, n.Credentials, n.Calling), func(t *testing.T) {
			p := newProver(t, s, n, proofLoad, proofLives, proofGrain)
			r, err := p.prove(t.Context())
			require.NoError(t, err)
			r.identify(&p.sheet.result)
			require.NoError(t, s.keep(p.sheet.result))
			r.decide(t, s)
		})
	}
}

func TestReadNeeds(t *testing.T) {
	const good = `{"transport":"http","surface":"meta","credentials":3,"calling":2,"limitBytes":9,"softLimitBytes":8,"cores":{"lo":1}}`
	for _, tt := range []struct{ name, text, wrong string }{
		{"two", good + "\n" + good, ""},
		{"none", "\n", "holds no need"},
		{"broken", good + "{", "need 2"},
		{"more calling than there are", strings.Replace(good, `"calling":2`, `"calling":4`, 1), "need 1"},
		{"stdio", strings.Replace(good, "http", "stdio", 1), "over http"},
		{"no limit", strings.Replace(good, `"limitBytes":9`, `"limitBytes":0`, 1), "both limits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "needs.json")
			require.NoError(t, os.WriteFile(path, []byte(tt.text), 0o600))
			needs, err := readNeeds(path)
			if tt.wrong != "" {
				require.ErrorContains(t, err, tt.wrong)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []need{{Transport: scenarios.HTTP, Surface: "meta", Credentials: 3, Calling: 2, Limit: 9, Soft: 8}, needs[0]}, needs)
		})
	}
	_, err := readNeeds(filepath.Join(t.TempDir(), "nowhere"))
	require.Error(t, err)
}

// prove puts the limit to the test, and halves towards the least one that is enough.
func (p *prover) prove(ctx context.Context) (*ruling, error) {
	r := &ruling{gate: "proof", subject: p.suite.subject.Name}
	asked, err := p.under(ctx, p.need.Limit)
	if err != nil {
		return nil, err
	}
	p.asked(asked)
	load := fmt.Sprintf("%d credentials, %d calling, on %s", p.need.Credentials, p.need.Calling, p.need.Surface)
	r.passes("limit asked for", asked.survived, asked.words(), "the server serves "+load)
	if !asked.survived {
		p.sheet.set("fatal-limit-bytes", float64(p.need.Limit))
		p.finish("the server did not survive the limit asked for", "needed-limit-bytes")
		return r, nil
	}
	needed, fatal, err := p.least(ctx)
	if err != nil {
		return nil, err
	}
	p.sheet.set("needed-limit-bytes", float64(needed))
	p.sheet.set("fatal-limit-bytes", float64(fatal))
	p.finish("")
	ratio := float64(p.need.Limit) / float64(needed)
	r.passes("asked for over needed", ratio <= mostAsked, fmt.Sprintf("%.2f of %s", ratio, inMiB(float64(needed))), fmt.Sprintf("at most %.1f", mostAsked))
	return r, nil
}

// least halves towards the least limit that is enough, from the one asked for, which was.
func (p *prover) least(ctx context.Context) (needed, fatal int64, err error) {
	needed, fatal = p.need.Limit, 0
	for float64(needed-fatal) > p.grain*float64(needed) {
		limit := (needed + fatal) / 2
		a, err := p.under(ctx, limit)
		if err != nil {
			return 0, 0, err
		}
		if a.survived {
			needed = limit
		} else {
			fatal = limit
		}
	}
	return needed, fatal, nil
}

// under has the server serve the load under a limit as often as it must, or until it does not. It returns the attempt
// that took most, or the one that failed.
func (p *prover) under(ctx context.Context, limit int64) (attempt, error) {
	var most attempt
	for range p.lives {
		a, err := p.attempt(ctx, limit)
		if err == nil {
			p.suite.progress.tell("%s: attempt %d: %s", p.suite.short(p.sheet.result.Name), p.attempts, a.words())
		}
		if err != nil || !a.survived {
			return a, err
		}
		if a.charged >= most.charged {
			most = a
		}
	}
	return most, nil
}

// asked writes what was seen under the limit asked for.
func (p *prover) asked(a attempt) {
	for unit, amount := range map[string]float64{
		"clients": float64(p.need.Credentials), "inflight": float64(p.need.Calling),
		"asked-limit-bytes": float64(p.need.Limit), "soft-limit-bytes": float64(p.need.Soft),
	} {
		p.sheet.set(unit, amount)
	}
	if !a.survived {
		p.sheet.absent("the server did not survive the limit asked for", "charged-bytes", "peak-RSS-bytes", "calls")
		return
	}
	p.sheet.set("charged-bytes", float64(a.charged))
	p.sheet.set("peak-RSS-bytes", float64(a.peak))
	p.sheet.set("calls", float64(a.calls))
}

func (p *prover) finish(why string, absent ...string) {
	p.sheet.set("attempts", float64(p.attempts))
	if len(absent) > 0 {
		p.sheet.absent(why, absent...)
	}
}

// The calibrator retains a known amount, so that no limit below that can be enough, and takes some more for itself.
func TestProofFindsTheLeastLimit(t *testing.T) {
	own, err := cgroup.Own()
	require.NoError(t, err)
	if group, err := own.Limit("mcpbench-proof-try", 1<<30); err != nil {
		t.Skip("no memory cgroup can be made here: ", err)
	} else {
		require.NoError(t, group.Remove())
	}
	const creds, each = 16, 8 * mib
	s := shortSuite(t, variant(t, fmt.Sprintf("-retain-credential=%d", each)), "")
	prove := func(limit int64) (*ruling, record.Result) {
		n := need{Transport: scenarios.HTTP, Surface: s.subject.SurfaceNames()[0], Credentials: creds, Calling: 2, Limit: limit, Soft: math.MaxInt64}
		p := newProver(t, s, n, 200*time.Millisecond, 1, 0.2)
		r, err := p.prove(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.sheet.result.Validate())
		assert.Empty(t, p.sheet.unmeasured())
		return r, p.sheet.result
	}
	r, result := prove(400 * mib)
	assert.Equal(t, stat.Fail, r.verdict(), "it asks for far too much: %s", r.because())
	needed, _ := result.Value("needed-limit-bytes")
	assert.Greater(t, needed, float64(creds*each))
	fatal, _ := result.Value("fatal-limit-bytes")
	assert.InEpsilon(t, needed, fatal, 0.21)
	charged, _ := result.Value("charged-bytes")
	assert.Greater(t, charged, float64(creds*each))

	r, _ = prove(int64(1.3 * needed))
	assert.Equal(t, stat.Pass, r.verdict(), r.because())

	r, result = prove(creds * each)
	assert.Equal(t, stat.Fail, r.verdict())
	assert.Contains(t, r.because(), "killed", "no process lives in what it retains alone")
	assert.NotEmpty(t, result.Absent["needed-limit-bytes"])
}

// The pages of a file are dropped, also of one that was just written; not while they are mapped.
func TestForget(t *testing.T) {
	const size = 4 << 20
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, make([]byte, size), 0o600))
	var fs unix.Statfs_t
	if require.NoError(t, unix.Statfs(path, &fs)); fs.Type == unix.TMPFS_MAGIC {
		t.Skip("files of this folder are always in memory")
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	share, err := inMemory(f)
	require.NoError(t, err)
	require.InDelta(t, 1, share, 0, "it was just written")
	require.NoError(t, forget(path))
	share, err = inMemory(f)
	require.NoError(t, err)
	assert.LessOrEqual(t, share, cached)

	mapped, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
	require.NoError(t, err)
	require.ErrorContains(t, forget(path), "100% of")
	require.NoError(t, unix.Munmap(mapped))
	require.NoError(t, forget(path))
}

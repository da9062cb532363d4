package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/mcp"
)

// conn is a connection whose nth call takes as long, and becomes what, answer
// says.
type conn struct {
	answer func(n int) (time.Duration, mcp.Outcome, string)
	n      int
	labels []string
}

func (c *conn) Do(ctx context.Context, req *mcp.Request, reply *mcp.Reply) {
	*reply = mcp.Reply{Start: time.Now(), Bytes: 10}
	wait, outcome, reason := c.answer(c.n)
	c.n++
	c.labels = append(c.labels, req.Label())
	select {
	case <-time.After(wait):
		reply.Outcome, reply.Reason = outcome, reason
	case <-ctx.Done():
		reply.Outcome, reply.Reason = mcp.Cut, "cut"
	}
	reply.End = time.Now()
}

func (c *conn) Fetch(context.Context, *mcp.Request) ([]byte, mcp.Reply) { panic("not for load") }
func (c *conn) Close() error                                            { return nil }

// takes answers every call in the same time.
func takes(d time.Duration) func(int) (time.Duration, mcp.Outcome, string) {
	return func(int) (time.Duration, mcp.Outcome, string) { return d, mcp.OK, "" }
}

func request(t *testing.T, label string) *mcp.Request {
	t.Helper()
	req, err := mcp.NewRequest(mcp.Spec{Label: label, Method: "tools/list", Version: mcp.V20260728})
	require.NoError(t, err)
	return req
}

func workers(t *testing.T, n int, answer func(int) (time.Duration, mcp.Outcome, string), labels ...string) []Worker {
	t.Helper()
	var requests []*mcp.Request
	for _, label := range labels {
		requests = append(requests, request(t, label))
	}
	ws := make([]Worker, n)
	for i := range ws {
		ws[i] = Worker{Conn: &conn{answer: answer}, Requests: requests}
	}
	return ws
}

func TestClosedByDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var progress []int64
		ws := workers(t, 3, takes(100*time.Millisecond), "call", "list")
		p, err := Closed(t.Context(), ws, Options{
			Duration: 2500 * time.Millisecond,
			Progress: func(calls int64) { progress = append(progress, calls) },
		})
		require.NoError(t, err)
		assert.Equal(t, 2500*time.Millisecond, p.Elapsed())
		assert.Equal(t, int64(75), p.Calls())
		assert.Equal(t, int64(37), p.Methods["list"].OK, "the middle worker began with it")
		assert.Equal(t, int64(380), p.Methods["call"].Bytes)
		assert.Equal(t, 100*time.Millisecond, p.Methods["call"].Min)
		assert.Equal(t, 100*time.Millisecond, p.Methods["call"].Max)
		assert.Equal(t, []string{"list", "call", "list"}, ws[1].Conn.(*conn).labels[:3])
		require.Len(t, progress, 3)
		assert.Equal(t, int64(75), progress[2])
		assert.Zero(t, p.Cut+p.Unsent+p.Late+p.Queued+p.Failed()+p.Refused())
	})
}

func TestClosedByCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := workers(t, 4, takes(time.Second), "call")
		p, err := Closed(t.Context(), ws, Options{Calls: 5, Spread: 2 * time.Second})
		require.NoError(t, err)
		assert.Equal(t, int64(20), p.Calls())
		assert.Equal(t, 6500*time.Millisecond, p.Elapsed(), "the last of four starts 1.5 s in")
	})
}

func TestLatenciesAreWhatTheyWere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ladder := func(n int) (time.Duration, mcp.Outcome, string) {
			return time.Duration(n+1) * time.Millisecond, mcp.OK, ""
		}
		p, err := Closed(t.Context(), workers(t, 8, ladder, "call"), Options{Calls: 1000})
		require.NoError(t, err)
		m := p.Methods["call"]
		assert.Equal(t, int64(8000), m.Latency.TotalCount())
		for percent, want := range map[float64]time.Duration{
			50: 500 * time.Millisecond, 90: 900 * time.Millisecond, 99: 990 * time.Millisecond,
		} {
			assert.InEpsilon(t, int64(want), m.Latency.ValueAtPercentile(percent), 0.001)
		}
		assert.Equal(t, time.Millisecond, m.Min)
		assert.Equal(t, time.Second, m.Max)
	})
}

func TestShortAndLongLatencies(t *testing.T) {
	m := newMethod()
	for _, d := range []time.Duration{3 * time.Microsecond, time.Microsecond, 2 * time.Minute, time.Hour} {
		m.record(&mcp.Reply{}, d)
	}
	assert.Equal(t, int64(4), m.Latency.TotalCount())
	assert.InDelta(t, int64(time.Microsecond), m.Latency.ValueAtPercentile(25), float64(latencyUnit))
	assert.InEpsilon(t, int64(2*time.Minute), m.Latency.ValueAtPercentile(75), 0.001)
	assert.Equal(t, time.Hour, m.Max, "exact even where the histogram ends")
}

func TestOutcomesAreCountedApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Closed(t.Context(), workers(t, 2, func(n int) (time.Duration, mcp.Outcome, string) {
			switch n % 4 {
			case 1:
				return time.Millisecond, mcp.Refused, "status 429: later"
			case 2:
				return time.Hour, mcp.Failed, fmt.Sprintf("id: %d, expected 1", n)
			}
			return time.Millisecond, mcp.OK, ""
		}, "call"), Options{Calls: 400})
		require.NoError(t, err)
		m := p.Methods["call"]
		assert.Equal(t, [3]int64{400, 200, 200}, [3]int64{m.OK, m.Refused, m.Failed})
		assert.Equal(t, int64(400), m.Latency.TotalCount())
		assert.Equal(t, time.Millisecond, m.Max)
		assert.Equal(t, int64(200), m.Reasons["status 429: later"])
		assert.LessOrEqual(t, len(m.Reasons), maxReasons+1)
		assert.Positive(t, m.Reasons["id"])
		var sum int64
		for _, n := range m.Reasons {
			sum += n
		}
		assert.Equal(t, int64(400), sum)
		assert.Equal(t, [2]int64{200, 200}, [2]int64{p.Failed(), p.Refused()})
	})
}

func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		second := func(n int) (time.Duration, mcp.Outcome, string) {
			if n%2 == 1 {
				return time.Millisecond, mcp.Refused, "status 503"
			}
			return 99 * time.Millisecond, mcp.OK, ""
		}
		var told atomic.Int64
		p, err := Closed(t.Context(), workers(t, 2, second, "call"), Options{Duration: 5 * time.Second, After: func(r *mcp.Reply) time.Duration {
			told.Add(1)
			if r.Outcome == mcp.Refused {
				return 900 * time.Millisecond
			}
			return 0
		}})
		require.NoError(t, err)
		m := p.Methods["call"]
		assert.Equal(t, [3]int64{10, 10, 0}, [3]int64{m.OK, m.Refused, m.Failed}, "a refused worker stays away")
		assert.Equal(t, 99*time.Millisecond, m.Max, "and what it waits is no latency")
		assert.Equal(t, p.Calls(), told.Load(), "each reply is told")
		assert.Equal(t, 5*time.Second, p.Elapsed(), "nobody waits beyond the end")
	})
}

func TestStopOnFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := workers(t, 3, func(n int) (time.Duration, mcp.Outcome, string) {
			if n == 2 {
				return time.Second, mcp.Failed, "oh"
			}
			return time.Second, mcp.OK, ""
		}, "call")
		p, err := Closed(t.Context(), ws, Options{Duration: time.Hour, Spread: time.Hour, StopOnFailure: true})
		require.NoError(t, err)
		assert.Equal(t, int64(3), p.Calls(), "the others were still waiting for their start")
		assert.Equal(t, 3*time.Second, p.Elapsed())
	})
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(time.Duration) func(n int) (time.Duration, mcp.Outcome, string) {
			return func(n int) (time.Duration, mcp.Outcome, string) {
				if n == 5 {
					return time.Hour, mcp.OK, ""
				}
				return time.Second, mcp.OK, ""
			}
		}
		ws := append(workers(t, 2, stuck(0), "call"), workers(t, 1, takes(1500*time.Millisecond), "call")...)
		p, err := Closed(t.Context(), ws, Options{Duration: 10 * time.Second, Drain: 4 * time.Second})
		require.NoError(t, err)
		assert.Equal(t, 14*time.Second, p.Elapsed())
		assert.Equal(t, int64(2), p.Cut)
		assert.Equal(t, int64(5+5+7), p.Calls())
		assert.Zero(t, p.Failed())
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		p, err := Closed(ctx, workers(t, 4, takes(time.Second), "call"), Options{Duration: time.Hour})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 3500*time.Millisecond, p.Elapsed())
		assert.Equal(t, int64(12), p.Calls())
		assert.Equal(t, int64(4), p.Cut)
	})
}

// stall answers in a millisecond, but for one second in which nothing is
// answered.
func stall(from time.Time) func(int) (time.Duration, mcp.Outcome, string) {
	return func(int) (time.Duration, mcp.Outcome, string) {
		at := time.Since(from)
		if at > 4*time.Second && at < 5*time.Second {
			return 5*time.Second - at + time.Millisecond, mcp.OK, ""
		}
		return time.Millisecond, mcp.OK, ""
	}
}

func TestOpenSeesTheStallThatClosedHides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := Options{Duration: 10 * time.Second}
		p, err := Open(t.Context(), workers(t, 1, stall(time.Now()), "call"), 100, options)
		require.NoError(t, err)
		m := p.Methods["call"]
		assert.Equal(t, int64(1000), m.OK)
		assert.InDelta(t, 920, float64(m.Latency.ValueAtPercentile(99))/1e6, 30)
		assert.Zero(t, p.Unsent+p.Late+p.Cut)
		assert.Greater(t, p.Queued, int64(100))

		p, err = Closed(t.Context(), workers(t, 1, stall(time.Now()), "call"), options)
		require.NoError(t, err)
		m = p.Methods["call"]
		assert.InDelta(t, 1, float64(m.Latency.ValueAtPercentile(99))/1e6, 0.01)
		assert.Greater(t, m.Max, 900*time.Millisecond)
	})
}

func TestOpenCountsTheUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Open(t.Context(), workers(t, 2, takes(time.Second), "call"), 10, Options{
			Duration: 10 * time.Second,
		})
		require.NoError(t, err)
		assert.InDelta(t, 20, p.Calls(), 1, "two at a time from the first that was due")
		assert.Equal(t, int64(100), p.Calls()+p.Unsent)
		assert.Greater(t, p.Elapsed(), 10*time.Second)
		assert.Less(t, p.Elapsed(), 11*time.Second)
		assert.Equal(t, 10*time.Second, p.Begun)
		assert.Equal(t, 10*time.Second-time.Nanosecond, p.Steady.End.Sub(p.Steady.Start))
		assert.InDelta(t, 18, p.Steady.Calls, 1, "the last two ended later")
	})
}

// Random arrivals are what queueing theory has formulas for: with one worker
// whose calls take the same time and that is busy half of it, a call waits half
// of that time on average (Pollaczek and Khinchine).
func TestOpenArrivesAtRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Open(t.Context(), workers(t, 1, takes(10*time.Millisecond), "call"), 50, Options{Duration: 200 * time.Second})
		require.NoError(t, err)
		assert.Equal(t, int64(10000), p.Calls())
		assert.InEpsilon(t, 15, p.Methods["call"].Latency.Mean()/1e6, 0.05)
		perSecond, ok := p.Steady.PerSecond()
		assert.True(t, ok)
		assert.InEpsilon(t, 50, perSecond, 0.001)
	})
}

func TestOpenIsTheSameEachTime(t *testing.T) {
	first, again := newOpen(10, time.Second), newOpen(10, time.Second)
	assert.Equal(t, first.due, again.due)
	assert.Empty(t, newOpen(0.5, time.Second).due)
}

// Nothing that is there from the start counts as queued.
func TestOpenSetsWorkersOffInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Open(t.Context(), workers(t, 50, takes(time.Millisecond), "call"), 1000, Options{Duration: time.Second})
		require.NoError(t, err)
		assert.Zero(t, p.Queued+p.Late+p.Unsent)
	})
}

func TestClosedGoesOnUntilEnough(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		enough                 int
		longest, takes         time.Duration
		begun, steady, elapsed time.Duration
		calls, within          int64
	}{
		{"enough already", 5, time.Minute, time.Second, 10 * time.Second, 8250 * time.Millisecond, 10750 * time.Millisecond, 40, 32},
		{"too few", 5, time.Minute, 4 * time.Second, 20750 * time.Millisecond, 16 * time.Second, 24500 * time.Millisecond, 23, 16},
		{"too few even so", 5, 15 * time.Second, 4 * time.Second, 15 * time.Second, 10250 * time.Millisecond, 16750 * time.Millisecond, 16, 8},
		{"no first answer", 1, 15 * time.Second, 20 * time.Second, 15 * time.Second, 0, 20750 * time.Millisecond, 4, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, err := Closed(t.Context(), workers(t, 4, takes(tt.takes), "call"), Options{
					Duration: 10 * time.Second, Spread: time.Second, Enough: tt.enough, Longest: tt.longest,
				})
				require.NoError(t, err)
				assert.Equal(t, tt.begun, p.Begun)
				assert.Equal(t, tt.elapsed, p.Elapsed())
				assert.Equal(t, tt.calls, p.Calls())
				assert.Equal(t, tt.steady, p.Steady.End.Sub(p.Steady.Start))
				assert.Equal(t, tt.within, p.Steady.Calls)
				_, ok := p.Steady.PerSecond()
				assert.Equal(t, tt.steady > 0, ok)
			})
		})
	}
}

// Every connection is slow once, at a time of its own: what a second brings in
// the steady part is what the server does, while the whole, its beginning and
// its end included, would say less.
func TestSteadyThroughput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Closed(t.Context(), workers(t, 100, takes(2*time.Second), "call"), Options{
			Duration: 20 * time.Second, Spread: 2 * time.Second,
		})
		require.NoError(t, err)
		perSecond, ok := p.Steady.PerSecond()
		assert.True(t, ok)
		assert.InEpsilon(t, 50, perSecond, 0.02)
		assert.Less(t, float64(p.Calls())/p.Elapsed().Seconds(), 48.0)
	})
}

// The calls in flight at a late end have the whole drain to themselves.
func TestDrainAfterGoingOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Closed(t.Context(), workers(t, 1, func(n int) (time.Duration, mcp.Outcome, string) {
			if n == 5 {
				return time.Hour, mcp.OK, ""
			}
			return 4 * time.Second, mcp.OK, ""
		}, "call"), Options{Duration: 10 * time.Second, Enough: 6, Longest: 30 * time.Second, Drain: 7 * time.Second})
		require.NoError(t, err)
		assert.Equal(t, int64(1), p.Cut)
		assert.Equal(t, 37*time.Second, p.Elapsed())
	})
}

func TestOpenCancelledCountsTheUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 950*time.Millisecond)
		defer cancel()
		p, err := Open(ctx, workers(t, 5, takes(time.Millisecond), "call"), 10, Options{Duration: 10 * time.Second})
		require.Error(t, err)
		assert.InDelta(t, 9, p.Calls(), 3)
		assert.Equal(t, int64(100), p.Calls()+p.Unsent)
	})
}

func TestOpenCountsTheLate(t *testing.T) {
	r := &runner{}
	due := time.Now()
	r.noteLag(due, due.Add(-time.Second), due.Add(LateAfter+1))
	r.noteLag(due, due.Add(-time.Second), due.Add(LateAfter))
	r.noteLag(due, due.Add(1), due.Add(time.Second))
	assert.Equal(t, int64(1), r.counts.late.Load())
	assert.Equal(t, int64(1), r.counts.queued.Load())
}

func TestAbsurdOptions(t *testing.T) {
	ws := workers(t, 1, takes(0), "call")
	for name, run := range map[string]func() (*Phase, error){
		"neither":     func() (*Phase, error) { return Closed(t.Context(), ws, Options{}) },
		"both":        func() (*Phase, error) { return Closed(t.Context(), ws, Options{Duration: 1, Calls: 1}) },
		"no workers":  func() (*Phase, error) { return Closed(t.Context(), nil, Options{Calls: 1}) },
		"no requests": func() (*Phase, error) { return Closed(t.Context(), []Worker{{Conn: &conn{}}}, Options{Calls: 1}) },
		"no rate":     func() (*Phase, error) { return Open(t.Context(), ws, 0, Options{Duration: 1}) },
		"no longest": func() (*Phase, error) {
			return Closed(t.Context(), ws, Options{Duration: 2, Enough: 1, Longest: 1})
		},
		"enough": func() (*Phase, error) { return Open(t.Context(), ws, 1, Options{Duration: 1, Enough: 1}) },
		"calls":  func() (*Phase, error) { return Open(t.Context(), ws, 1, Options{Duration: 1, Calls: 1}) },
	} {
		_, err := run()
		require.Error(t, err, name)
	}
	_, err := Admit(t.Context(), nil, 1)
	require.Error(t, err)
	_, err = Admit(t.Context(), ws, 0)
	assert.Error(t, err)
}

func TestAdmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		replies, err := Admit(t.Context(), workers(t, 20, takes(time.Second), "list", "call"), 8)
		require.NoError(t, err)
		assert.Equal(t, 6*time.Second, time.Since(start))
		require.Len(t, replies, 20)
		for _, r := range replies {
			require.Len(t, r, 2)
			assert.Equal(t, time.Second, r[0].Latency())
		}
	})
}

func TestAdmitStopsAtTheFirstFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := workers(t, 5, takes(time.Second), "list")
		ws[2].Conn = &conn{answer: func(int) (time.Duration, mcp.Outcome, string) {
			return time.Second, mcp.Failed, "status 500"
		}}
		replies, err := Admit(t.Context(), ws, 1)
		require.EqualError(t, err, "admit worker 2: list failed: status 500")
		assert.Len(t, replies[2], 1)
		assert.Empty(t, replies[3])
	})
}

func TestEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var most, now int
		var ended atomic.Int64
		oh := errors.New("oh")
		err := Each(t.Context(), 10, 3, func(ctx context.Context, i int) error {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			defer func() {
				mu.Lock()
				now--
				mu.Unlock()
				ended.Add(1)
			}()
			if i == 4 {
				return oh
			}
			select {
			case <-time.After(time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		require.ErrorIs(t, err, oh)
		assert.Equal(t, 3, most)
		assert.LessOrEqual(t, ended.Load(), int64(6))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, Each(ctx, 1, 1, func(context.Context, int) error { return nil }), context.Canceled)
	})
}

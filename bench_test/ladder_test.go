package bench_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
	"mcpbench/internal/record"
	"mcpbench/scenarios"
)

// ladderMethod says in the record how the figures of a rung came about.
const ladderMethod = "one credential; calls one after another, the last of them at once; then nothing is asked until the resident set is back or -return-wait is over, " +
	"while other rungs make their calls in processes of their own"

// climb measures the ladder. That memory comes back takes minutes in which a process does nothing, so all rungs make
// their calls first, one rung after the other, and wait together.
func (s *suite) climb(b *testing.B) {
	b.Helper()
	defer func() { s.loaded = nil }()
	s.loaded = make(map[string]*rungRun)
	rungs, most := s.calling(), int64(0)
	s.progress.more(len(rungs))
	for i, rung := range rungs {
		if most > 0 && !s.fits(most) {
			s.progress.more(i - len(rungs))
			break // the others make their calls when these have ended
		}
		name := ladderName(s, rung)
		s.progress.begin(s.short(name) + ", its calls")
		r := s.newRung(b, name, rung)
		r.ascend()
		s.loaded[name] = r
		most = max(most, r.peak)
		s.progress.end("done")
	}
	s.size(b, record.Ladder)
}

// calling are the rungs that have calls to make in this round.
func (s *suite) calling() []scenarios.Rung {
	return slices.DeleteFunc(scenarios.Rungs(s.subject), func(rung scenarios.Rung) bool {
		name := ladderName(s, rung)
		return rung.Calls == 0 || !s.chosen(name) || s.held[heldKey{name, s.round}] != nil
	})
}

// ladderName is what the record calls a rung.
func ladderName(s *suite, rung scenarios.Rung) string {
	return string(record.Ladder) + "/" + rung.Name(s.subject.Name)
}

// fits reports whether one more rung may run beside those that wait, if it takes half as much again as the largest.
func (s *suite) fits(largest int64) bool {
	waiting := largest + largest/2
	for _, r := range s.loaded {
		waiting += r.peak
	}
	return waiting <= s.guards.memory
}

// rung measures so many calls whose answers from GitLab are large.
func (s *suite) rung(b *testing.B, name string, rung scenarios.Rung) {
	b.Helper()
	if _, held := s.skipWith(b, name, s.settingsFor(launch{}, rungSettings())); held {
		return
	}
	s.progress.begin(s.short(name))
	verdict := "failed"
	defer func() { s.progress.end(verdict) }()
	r := s.loaded[name]
	if r == nil {
		r = s.newRung(b, name, rung)
		r.ascend()
	}
	r.b = b
	if r.fatal != nil {
		b.Fatal(r.fatal)
	}
	verdict = r.run([]phase{{"return", r.returned}, {"settle", r.guarded(r.settle)}, {"close", r.left}})
}

// rungSettings hold what all rungs have in common.
func rungSettings() string {
	return fmt.Sprintf("answer-bytes=%d return-wait=%s", opts.answerBytes, opts.returnWait)
}

// newRung prepares a rung, which lives as long as b.
func (s *suite) newRung(b *testing.B, name string, rung scenarios.Rung) *rungRun {
	b.Helper()
	l := launch{
		name: name, transport: scenarios.HTTP, surface: rung.Surface, clients: 1, download: opts.answerBytes,
		bounded: s.subject.Bounded != nil, vars: scenarios.Vars{"bound": fmt.Sprint(scenarios.Burst)},
	}
	return &rungRun{trial: newTrial(b, s, l, ladderMethod, rungSettings()), rung: rung, back: make(chan error, 1)}
}

// rungRun is one rung while it is measured.
type rungRun struct {
	*trial
	rung scenarios.Rung
	// before is the resident set at rest before the first large call, peak its largest during these, and ended when the
	// last of them was over.
	before, peak int64
	ended        time.Time
	// back has what became of the wait for the resident set, once that is over.
	back chan error
	// fatal is why the rung did not come to wait.
	fatal error
}

// ascend makes the calls, and has the wait begin that follows them.
func (r *rungRun) ascend() {
	r.fatal = r.through([]phase{{"idle", r.idle}, {"admit", r.admit}, {"load", r.guarded(r.load)}})
	if r.fatal != nil || r.over {
		return
	}
	ctx := r.b.Context()
	go func() { r.back <- r.comeBack(ctx) }()
}

// returned waits until the resident set is back, or was waited for long enough.
func (r *rungRun) returned(ctx context.Context) error {
	select {
	case err := <-r.back:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// idle reads a process that serves nobody.
func (r *rungRun) idle(ctx context.Context) error {
	if err := r.started(ctx); err != nil {
		return err
	}
	rss, err := r.people.resting(ctx)
	r.sheet.set("idle-RSS-bytes", rss)
	return err
}

// admit has the credential admitted and make a small call, so that what these leave behind is not the large ones', and
// turns to the large ones.
func (r *rungRun) admit(ctx context.Context) error {
	if err := r.connect(ctx, 1); err != nil {
		return err
	}
	if _, err := timed(ctx, r.people.clients[0], r.requests[record.Call]); err != nil {
		return err
	}
	settled, err := r.people.settle(ctx, restOptions())
	if err != nil {
		return err
	}
	r.before = settled[0].RSS
	r.sheet.set("start-RSS-bytes", float64(r.before))
	r.sheet.optional("start-heap-bytes", liveHeap(settled), noHeap)
	return r.turnTo(scenarios.CallHeavy)
}

// load makes the calls.
func (r *rungRun) load(ctx context.Context) error {
	r.sheet.set("calls", float64(r.rung.Calls))
	r.sheet.set("burst-calls", float64(r.rung.AtOnce))
	if r.rung.Calls == 0 {
		r.sheet.absent("no call was made", "peak-RSS-bytes", "cpu-ns/call", "loaded-cpu-cores", "suite-cpu-cores", "reply-bytes")
		return r.after()
	}
	if err := r.people.resetPeak(); err != nil {
		return err
	}
	var total loadTotal
	for _, part := range []struct{ callers, calls int }{{1, r.rung.Calls - r.rung.AtOnce}, {r.rung.AtOnce, 1}} {
		if part.calls == 0 {
			continue
		}
		if err := r.widen(ctx, part.callers); err != nil {
			return err
		}
		if err := r.part(ctx, part.callers, part.calls, &total); err != nil {
			return err
		}
	}
	peak, err := r.people.peak()
	if err != nil {
		return err
	}
	r.peak = peak
	r.sheet.set("peak-RSS-bytes", float64(peak))
	if _, known := r.sheet.result.Value("reply-bytes"); !known {
		r.sheet.absent("no call was answered as it should be", "reply-bytes")
	}
	total.write(r.trial)
	return r.after()
}

// widen opens connections until there are n. A server may close those that it hears nothing of for long.
func (r *rungRun) widen(ctx context.Context, n int) error {
	for len(r.people.clients) < n {
		next, err := r.people.clients[0].(*mcp.HTTPConn).Another(ctx)
		if err != nil {
			return err
		}
		r.people.clients = append(r.people.clients, next)
	}
	return nil
}

// part has some callers make some calls each.
func (r *rungRun) part(ctx context.Context, callers, calls int, total *loadTotal) error {
	l, err := r.watched(func() (*load.Phase, error) {
		return load.Closed(ctx, r.people.workers(r.requests[record.Call])[:callers], load.Options{Calls: calls, Drain: r.suite.guards.patience()})
	})
	if err != nil {
		return err
	}
	m := l.phase.Methods[string(record.Call)]
	total.add(l.phase.Elapsed(), l.spent, m)
	if _, known := r.sheet.result.Value("reply-bytes"); !known && m.OK > 0 {
		r.sheet.set("reply-bytes", float64(m.Bytes/m.OK))
	}
	return nil
}

// after reads the process as the last call has ended.
func (r *rungRun) after() error {
	r.ended = time.Now()
	reading, err := r.people.read()
	r.sheet.set("end-RSS-bytes", float64(reading.RSS))
	return err
}

const (
	// near is the share of what it was that the resident set may be above that to be back, and of what the calls added at
	// most that may be left for it to have been given back.
	near = 0.05
	// lookEvery is how often that is looked at.
	lookEvery = 100 * time.Millisecond
)

// growth is what calls made of a resident set, in bytes.
type growth struct{ before, peak int64 }

// back reports whether a resident set is what it was before.
func (g growth) back(rss int64) bool { return float64(rss-g.before) <= near*float64(g.before) }

// given reports whether nearly all of what the calls added was given back.
func (g growth) given(rss int64) bool {
	return g.back(rss) || float64(rss-g.before) <= near*float64(g.peak-g.before)
}

// comeBack waits until the resident set is back where it was, with nothing asked of the process and nothing forced, or
// for -return-wait. When nearly all was given back is looked for meanwhile: some of it may stay.
func (r *rungRun) comeBack(ctx context.Context) error {
	if r.rung.Calls == 0 {
		r.sheet.absent("no call was made", "return-ns", "left-RSS-bytes")
		return nil
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	g, given := growth{r.before, r.peak}, false
	for {
		now, err := r.people.read()
		if err != nil {
			return err
		}
		took := time.Since(r.ended)
		if !given && g.given(now.RSS) {
			given = true
			r.sheet.set("return-ns", float64(took))
		}
		if g.back(now.RSS) || took >= opts.returnWait {
			r.remains(now.RSS, given)
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// remains writes what is left when the wait is over.
func (r *rungRun) remains(rss int64, given bool) {
	r.sheet.set("left-RSS-bytes", float64(rss))
	if !given {
		r.sheet.absent(fmt.Sprintf("it was %.0f%% larger than before after %v", 100*(float64(rss)/float64(r.before)-1), opts.returnWait), "return-ns")
	}
}

// settle reads the memory at rest, collections forced.
func (r *rungRun) settle(ctx context.Context) error {
	if r.rung.Calls == 0 {
		r.checked()
	}
	_, err := r.rest(ctx, "rest-RSS-bytes", "rest-heap-bytes", "rest-ns")
	return err
}

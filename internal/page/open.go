package page

import (
	"fmt"

	"mcpbench/internal/record"
)

// openColumns are of calls offered at a rate.
var openColumns = []column{
	{"Offered a second", "offered-calls/s", plain, Figure.spread},
	{"Done a second", "calls/s", plain, Figure.spread},
	{"Cores busy", "loaded-cpu-cores", plain, Figure.spread},
	{"Largest peak, MiB", "peak-RSS-bytes", mib, Figure.largest},
	{"Fell due, all busy", "queued-calls", plain, Figure.spread},
	{"Never sent", "unsent-calls", plain, Figure.spread},
	{"Sent late by the suite", "late-calls", plain, Figure.spread},
}

// offered is what there is to say of the ladder's open loops, if there are any.
func (l *Ladder) offered() []Block {
	if len(l.Open) == 0 {
		return nil
	}
	clients := ""
	if known := having(l.Open, "clients"); len(known) > 0 {
		clients = fmt.Sprintf(" %s credentials share them.", span(known, "clients"))
	}
	blocks := []Block{text("**Calls at a rate**, in percent of the throughput at the knee as the first round showed it, whatever later rounds showed. They fall due at random, as independent callers come: a Poisson process " +
		"of a given number of calls, drawn from a fixed seed, so that every build is offered the same. A call counts from the moment at which it fell due, so a " +
		"server that stalls is charged for the callers who waited behind the stall. Done a second is while calls fell due." + clients)}
	blocks = append(blocks, tables((&tableMaker{}).rows("Rate", l.Open, openColumns))...)
	if ended := stops(l.Open); len(ended) > 0 {
		blocks = append(blocks, text(joinWords(ended...)))
	}
	if censored := lowerBounds(l.Open); censored != "" {
		blocks = append(blocks, text(censored))
	}
	return append(blocks, tables((&tableMaker{notesAt: notesOfRates}).latency("Rate", l.Open, methodsInTurn(), "mean-ns", "p50-ns", "p90-ns", "p99-ns", "p999-ns"))...)
}

// lowerBounds says at which rates calls were never sent, so that the longest
// waits are in no percentile.
func lowerBounds(open []*Scenario) string {
	var rates []string
	for _, s := range having(open, "unsent-calls") {
		unsent, sent := s.Figure("unsent-calls").Median, 0.0
		for _, m := range methodsInTurn() {
			sent += s.Figure(m.Unit("calls")).Median
		}
		if unsent > 0 {
			rates = append(rates, fmt.Sprintf("%s (%s%% of the calls)", s.Title(), significant(100*unsent/(unsent+sent))))
		}
	}
	if len(rates) == 0 {
		return ""
	}
	return fmt.Sprintf("At %s calls were never sent, which would have waited longest: latencies there are lower bounds.", enumerate(rates))
}

// kept reports whether an open loop kept up with what it was offered.
func kept(s *Scenario) bool {
	unsent := s.Figure("unsent-calls")
	return s.Believed() && unsent.Known() && unsent.Max == 0
}

// meanLatency is the mean over the calls of both methods: by Little's law what
// a rate is multiplied by to have the calls in flight.
func meanLatency(s *Scenario) (ns float64, ok bool) {
	var calls, waited float64
	for _, m := range methodsInTurn() {
		n, mean := s.Figure(m.Unit("calls")), s.Figure(m.Unit("mean-ns"))
		if !n.Known() || !mean.Known() {
			return 0, false
		}
		calls += n.Median
		waited += n.Median * mean.Median
	}
	return waited / calls, calls > 0
}

// callP99 is the wait that a reader plans for.
var callP99 = record.Call.Unit("p99-ns")

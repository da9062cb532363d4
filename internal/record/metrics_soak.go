package record

import "slices"

func soakMetrics() []Metric {
	return slices.Concat(soakLoadMetrics(), soakGrowthMetrics(), soakRestMetrics(), soakPathMetrics(), soakReadingMetrics())
}

func soakLoadMetrics() []Metric {
	kinds := []Kind{Soak}
	return []Metric{
		{Unit: "soak-load-ns", Kinds: kinds, Meaning: "How long the first load of the soak began calls."},
		{Unit: "soak-again-ns", Kinds: kinds, Meaning: "How long the second load of the soak began calls."},
		{Unit: "soak-calls", Kinds: kinds, Meaning: "Calls completed in both loads of the soak, on all paths, the first call on each connection included."},
		{Unit: "soak-cpu-cores", Better: Lower, Kinds: kinds, Meaning: "Processors that the server kept busy in the first load of the soak."},
		{Unit: "soak-failed-calls", Better: Lower, Kinds: kinds, Meaning: "Calls of the soak that failed."},
		{Unit: "soak-refused-calls", Better: Lower, Kinds: kinds, Meaning: "Calls of the soak that the server refused on purpose."},
		{Unit: "soak-cut-calls", Better: Lower, Kinds: kinds, Meaning: "Calls of the soak that had no answer long after their load, and were given up."},
		{Unit: "soak-reconnects", Better: Lower, Kinds: kinds, Meaning: "Connections of the soak that were to stay open, and were lost and opened again."},
		{Unit: "soak-upstream-requests", Kinds: kinds, Meaning: "Requests of the soak that reached GitLab, those to admit its credentials included."},
		{Unit: "soak-unsent-calls", Better: Lower, Kinds: kinds, Meaning: "Calls of the soak that fell due and were never sent, every connection of their path being busy."},
	}
}

// soakGrowthMetrics are what memory grows by while the first load goes on.
func soakGrowthMetrics() []Metric {
	var metrics []Metric
	for _, of := range []struct{ unit, words string }{
		{"growth-RSS", "the resident set"},
		{"growth-goal", "the heap at which a collection is due, which is about twice the live heap as Go comes,"},
	} {
		metrics = append(metrics,
			Metric{Unit: of.unit + "-bytes/s", Better: Lower, Signed: true, Kinds: []Kind{Soak},
				Meaning: "Growth of " + of.words + " in each second of the first load: the slope through the troughs."},
			Metric{Unit: of.unit + "-lo-bytes/s", Signed: true, Kinds: []Kind{Soak},
				Meaning: "Lower end of the 95% interval of " + of.unit + "-bytes/s."},
			Metric{Unit: of.unit + "-hi-bytes/s", Signed: true, Kinds: []Kind{Soak},
				Meaning: "Upper end of the 95% interval of " + of.unit + "-bytes/s."})
	}
	return metrics
}

// soakRestMetrics are what there is before any load and at rest after either.
func soakRestMetrics() []Metric {
	var metrics []Metric
	for _, at := range []struct{ unit, words string }{
		{"fresh", "before any load"}, {"opened", "before any load, each connection having been opened, asked one call and closed"},
		{"after", "at rest after the first load, without connections"},
		{"again", "at rest after the second load, without connections"},
	} {
		for _, of := range []struct{ unit, words string }{
			{"RSS-bytes", "Resident set"}, {"heap-bytes", "Live heap, just collected,"},
			{"descriptors", "Open descriptors"}, {"threads", "Threads"}, {"goroutines", "Goroutines"},
		} {
			metrics = append(metrics, Metric{Unit: "soak-" + at.unit + "-" + of.unit, Better: Lower, Kinds: []Kind{Soak},
				Meaning: of.words + " " + at.words + ", of all processes of the soak together."})
		}
	}
	return metrics
}

func soakPathMetrics() []Metric {
	kinds := []Kind{SoakPath}
	metrics := []Metric{
		{Unit: "path-calls", Kinds: kinds, Meaning: "Calls completed on one path of the soak, in both loads, the first call on each connection included."},
		{Unit: "path-calls/s", Kinds: kinds, Meaning: "Calls completed on one path in each second of the first load."},
		{Unit: "path-failed-calls", Better: Lower, Kinds: kinds, Meaning: "Calls on one path of the soak that failed."},
		{Unit: "path-refused-calls", Better: Lower, Kinds: kinds, Meaning: "Calls on one path of the soak that the server refused on purpose."},
		{Unit: "path-cut-calls", Better: Lower, Kinds: kinds, Meaning: "Calls on one path of the soak that had no answer long after their load, and were given up."},
		{Unit: "path-unsent-calls", Better: Lower, Kinds: kinds, Meaning: "Calls on one path of the soak that fell due and were never sent, every connection of the path being busy."},
	}
	for _, of := range []struct{ unit, words string }{
		{"path-p50", "Median latency on one path in the first load, from when a call was due; of a session, its beginning and its end included."},
		{"path-p99", "99th percentile of the same latency."},
		{"path-first-p99", "99th percentile of the same latency in the first fifth of the first load."},
		{"path-last-p99", "99th percentile of the same latency in the last fifth of the first load."},
	} {
		metrics = append(metrics,
			Metric{Unit: of.unit + "-ns", Better: Lower, Kinds: kinds, Meaning: of.words},
			Metric{Unit: of.unit + "-lo-ns", Kinds: kinds, Meaning: "Lower end of the 95% interval of " + of.unit + "-ns."},
			Metric{Unit: of.unit + "-hi-ns", Kinds: kinds, Meaning: "Upper end of the 95% interval of " + of.unit + "-ns."})
	}
	return metrics
}

func soakReadingMetrics() []Metric {
	kinds := []Kind{SoakReading}
	return []Metric{
		{Unit: "now-RSS-bytes", Better: Lower, Kinds: kinds, Meaning: "Resident set at one moment of the soak, of all its processes together."},
		{Unit: "now-least-RSS-bytes", Better: Lower, Kinds: kinds, Meaning: "Least resident set that was seen since the reading before."},
		{Unit: "now-heap-bytes", Better: Lower, Kinds: kinds, Meaning: "Heap in use at that moment, what is no longer reachable included: no collection is forced."},
		{Unit: "now-goal-bytes", Better: Lower, Kinds: kinds, Meaning: "Heap at which the next collection is due, which is made of what the last one found alive."},
		{Unit: "now-descriptors", Better: Lower, Kinds: kinds, Meaning: "Open descriptors at that moment."},
		{Unit: "now-threads", Better: Lower, Kinds: kinds, Meaning: "Threads at that moment."},
		{Unit: "now-goroutines", Better: Lower, Kinds: kinds, Meaning: "Goroutines at that moment, without those that serve the question."},
	}
}

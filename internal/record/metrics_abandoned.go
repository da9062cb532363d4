package record

// abandonedMetrics are those of one way of going away, of which there were many events. Bytes are of the live heap.
func abandonedMetrics() []Metric {
	of := []Kind{Abandoned}
	return []Metric{
		{Unit: "abandoned-events", Kinds: of,
			Meaning: "Events that the figures rest on, those to warm up excluded."},
		{Unit: "retained-bytes/event", Better: Lower, Signed: true, Kinds: of,
			Meaning: "Growth of the live heap at rest for each event, once the process may hold it no longer: the slope over batches."},
		{Unit: "retained-lo-bytes/event", Signed: true, Kinds: of,
			Meaning: "Lower end of the 95% interval of retained-bytes/event."},
		{Unit: "retained-hi-bytes/event", Signed: true, Kinds: of,
			Meaning: "Upper end of the 95% interval of retained-bytes/event."},
		{Unit: "retained-budget-bytes/event", Kinds: of,
			Meaning: "What retained-bytes/event may be."},
		{Unit: "retained-goroutines", Better: Lower, Signed: true, Kinds: of,
			Meaning: "Goroutines after all events, less those before the first."},
		{Unit: "retained-descriptors", Better: Lower, Signed: true, Kinds: of,
			Meaning: "Open file descriptors after all events, less those before the first."},
		{Unit: "retained-processes", Better: Lower, Kinds: of,
			Meaning: "Processes on stdio that were still there when their client had been dead for the grace of the subject."},
		{Unit: "held-bytes/event", Better: Lower, Signed: true, Kinds: of,
			Meaning: "Live heap held for each event as long as the process may: the median over batches."},
		{Unit: "held-goroutines/event", Better: Lower, Signed: true, Kinds: of,
			Meaning: "Goroutines held for each event as long as the process may."},
		{Unit: "held-descriptors/event", Better: Lower, Signed: true, Kinds: of,
			Meaning: "File descriptors held for each event as long as the process may."},
		{Unit: "gone-ns", Better: Lower, Kinds: of,
			Meaning: "From the death of a client on stdio until its process was gone: the longest."},
	}
}

package record

import "slices"

// overloadMetrics are what is measured while more is asked for than is admitted.
func overloadMetrics() []Metric {
	return slices.Concat(overloadRates(), overloadRefusals(), overloadWaits(), overloadState(), overloadSeconds())
}

func overloadRates() []Metric {
	return ofKind(Overload,
		Metric{Unit: "capacity-calls/s", Meaning: "What the bound admits in each second: requests in progress at most, by the time GitLab takes during the overload."},
		Metric{Unit: "tried-calls/s", Meaning: "What as many connections as the bound came to while GitLab took 50 ms, the time asked for; it takes longer in what follows if the bound was not what held them back."},
		Metric{Unit: "before-calls/s", Better: Higher, Meaning: "Calls answered in each second to as many connections as the bound, before the overload."},
		Metric{Unit: "admitted-calls/s", Better: Higher, Meaning: "Calls answered in each second of the overload, from when all connections had had an answer."},
		Metric{Unit: "rejected-calls/s", Meaning: "Calls refused in each of the same seconds."},
		Metric{Unit: "after-calls/s", Better: Higher, Meaning: "Calls answered in each second to as many connections as the bound, after the overload."},
		Metric{Unit: "admissions/s", Meaning: "Requests to GitLab in each second of the overload that were none of a call: credentials admitted, again where the pool had let them go."},
	)
}

func overloadRefusals() []Metric {
	return ofKind(Overload,
		Metric{Unit: "busy-refusals", Meaning: "Calls of the overload refused for work in progress: HTTP status 503, or the JSON-RPC error."},
		Metric{Unit: "rate-refusals", Meaning: "Calls of the overload refused for a rate: HTTP status 429."},
		Metric{Unit: "untold-refusals", Better: Lower, Meaning: "Refusals without Retry-After."},
		Metric{Unit: "unanswered-calls", Better: Lower, Meaning: "Calls of any phase that had no answer half a minute after it, and were given up."},
		Metric{Unit: "refusal-p50-ns", Better: Lower, Meaning: "Median time to a refusal during the overload."},
		Metric{Unit: "refusal-p50-lo-ns", Meaning: "Lower end of the 95% interval of refusal-p50-ns."},
		Metric{Unit: "refusal-p50-hi-ns", Meaning: "Upper end of the 95% interval of refusal-p50-ns."},
		Metric{Unit: "refusal-p99-ns", Better: Lower, Meaning: "99th percentile of the time to a refusal during the overload."},
		Metric{Unit: "refusal-p99-lo-ns", Meaning: "Lower end of the 95% interval of refusal-p99-ns."},
		Metric{Unit: "refusal-p99-hi-ns", Meaning: "Upper end of the 95% interval of refusal-p99-ns."},
		Metric{Unit: "refusal-min-ns", Meaning: "Shortest time to a refusal during the overload."},
		Metric{Unit: "cpu-ns/refusal", Better: Lower, Meaning: "Processor time for each refusal while calls in progress fill the bound and all others are refused."},
		Metric{Unit: "retained-bytes/refusal", Better: Lower, Signed: true, Meaning: "Growth of the live heap over those refusals, by their number."},
		Metric{Unit: "measured-refusals", Meaning: "Refusals that both rest on."},
	)
}

func overloadWaits() []Metric {
	var all []Metric
	for _, of := range []struct{ name, words string }{
		{"busy-before", "tools/call on as many connections as the bound, before the overload"},
		{"busy-during", "an admitted tools/call of the busy credential, during the overload"},
		{"busy-after", "tools/call on as many connections as the bound, after the overload"},
		{"probe-before", "tools/call of the credential that is not busy, before the overload"},
		{"probe-during", "tools/call of the credential that is not busy, during the overload"},
	} {
		for _, q := range []struct{ name, words string }{{"p50", "Median"}, {"p99", "99th percentile"}} {
			unit := of.name + "-" + q.name
			all = append(all,
				Metric{Unit: unit + "-ns", Better: Lower, Meaning: q.words + " of latency of " + of.words + "."},
				Metric{Unit: unit + "-lo-ns", Meaning: "Lower end of the 95% interval of " + unit + "-ns."},
				Metric{Unit: unit + "-hi-ns", Meaning: "Upper end of the 95% interval of " + unit + "-ns."})
		}
	}
	return ofKind(Overload, append(all,
		Metric{Unit: "probe-calls", Meaning: "Calls of the credential that is not busy, in all phases."},
		Metric{Unit: "probe-cut-calls", Meaning: "Calls of the same that the end of the run cut before they were late. They count nowhere else."},
		Metric{Unit: "probe-wrong-calls", Better: Lower, Meaning: "Of these, those refused, failed or without answer."},
		Metric{Unit: "probe-late-calls", Better: Lower, Meaning: "Of these, those answered more than a second after GitLab could have."},
		Metric{Unit: "health-checks", Meaning: "Requests to the address that says whether the server serves, in all phases."},
		Metric{Unit: "health-wrong-checks", Better: Lower, Meaning: "Of these, those not answered with 200, or not within a second."},
		Metric{Unit: "health-max-ns", Better: Lower, Meaning: "Longest of these."},
		Metric{Unit: "recovery-ns", Better: Lower, Meaning: "From the end of the overload until as many calls in a row as the bound were answered, none refused, in a median time no more than a twentieth above that before. One such row is the least."},
	)...)
}

func overloadState() []Metric {
	return ofKind(Overload,
		Metric{Unit: "before-RSS-bytes", Better: Lower, Meaning: "Mean resident set before the overload, all connections of the busy credential open."},
		Metric{Unit: "first-half-RSS-bytes", Better: Lower, Meaning: "Mean resident set in the first half of the overload, from when all connections had had an answer."},
		Metric{Unit: "second-half-RSS-bytes", Better: Lower, Meaning: "The same in the second half."},
		Metric{Unit: "after-RSS-bytes", Better: Lower, Meaning: "Mean resident set after the overload."},
		Metric{Unit: "overload-cpu-cores", Meaning: "Processors that the server kept busy during the overload."},
		Metric{Unit: "before-descriptors", Meaning: "Descriptors of the server before all phases, while nobody called and GitLab had closed its connections."},
		Metric{Unit: "most-descriptors", Meaning: "The most descriptors of the server seen during the overload."},
		Metric{Unit: "after-descriptors", Better: Lower, Meaning: "The same after all phases."},
		Metric{Unit: "silent-connections", Meaning: "Connections that asked nothing and were opened, each again when the server had ended it."},
		Metric{Unit: "ended-connections", Meaning: "Of these, those that the server ended."},
		Metric{Unit: "silent-max-ns", Better: Lower, Meaning: "The longest that the server kept one of them."},
	)
}

func overloadSeconds() []Metric {
	return ofKind(OverloadReading,
		Metric{Unit: "answered-in-second", Meaning: "Calls of the busy credential, or of the many, answered in that second."},
		Metric{Unit: "refused-in-second", Meaning: "The same refused in that second."},
		Metric{Unit: "failed-in-second", Better: Lower, Meaning: "The same that failed in that second."},
		Metric{Unit: "given-up-in-second", Better: Lower, Meaning: "The same without an answer that were given up in that second."},
		Metric{Unit: "RSS-in-second-bytes", Better: Lower, Meaning: "Mean resident set in that second."},
		Metric{Unit: "probe-in-second-p50-ns", Better: Lower, Meaning: "Median latency of the calls of the credential that is not busy that were answered in that second."},
		Metric{Unit: "probe-in-second-max-ns", Better: Lower, Meaning: "The longest of them."},
	)
}

// ofKind gives metrics the one kind of results that have them.
func ofKind(kind Kind, metrics ...Metric) []Metric {
	for i := range metrics {
		metrics[i].Kinds = []Kind{kind}
	}
	return metrics
}

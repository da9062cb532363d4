package record

// proofMetrics are those of a limit that was put to the test.
func proofMetrics() []Metric {
	return []Metric{
		{Unit: "asked-limit-bytes", Kinds: []Kind{Proof},
			Meaning: "Memory limit that the model gave for the load."},
		{Unit: "soft-limit-bytes", Kinds: []Kind{Proof},
			Meaning: "The runtime's own limit (GOMEMLIMIT) that the model gave with it, in force under every limit tried."},
		{Unit: "needed-limit-bytes", Better: Lower, Kinds: []Kind{Proof},
			Meaning: "Least limit tried under which the process served the load to its end, every time."},
		{Unit: "fatal-limit-bytes", Kinds: []Kind{Proof},
			Meaning: "Largest limit tried under which it did not."},
		{Unit: "charged-bytes", Better: Lower, Kinds: []Kind{Proof},
			Meaning: "Most that was charged to the process's group at once under the limit that the model gave, pages of files included."},
		{Unit: "attempts", Kinds: []Kind{Proof},
			Meaning: "How often the process was started and the load driven, under all limits."},
	}
}

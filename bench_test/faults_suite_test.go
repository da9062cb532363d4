package bench_test

// ownFaults are those of the suite's surroundings.
func ownFaults() []faultCase { return nil }

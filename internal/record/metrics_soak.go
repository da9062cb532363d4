package record

func soakMetrics() []Metric { return nil }

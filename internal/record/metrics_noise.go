package record

func noiseMetrics() []Metric { return nil }

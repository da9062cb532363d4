package page

import (
	"fmt"
	"slices"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
)

// rows makes bars of the scenarios' metrics. A metric that none of them has
// takes no part.
func rows(scenarios []*Scenario, metrics []plotted, scale Scale) chart.Panel {
	bars := &chart.Bars{}
	var present []plotted
	for _, m := range metrics {
		if len(having(scenarios, m.unit)) > 0 {
			present = append(present, m)
			bars.Series = append(bars.Series, m.words)
		}
	}
	for _, s := range scenarios {
		row := chart.Row{Name: s.Title()}
		for _, m := range present {
			row.Values = append(row.Values, s.value(m, scale))
		}
		bars.Rows = append(bars.Rows, row)
	}
	return chart.Panel{Bars: bars}
}

// inBands puts panels into bands of so many, or of one where that leaves some
// over.
func inBands(panels []chart.Panel, columns int) []chart.Band {
	if len(panels)%columns != 0 {
		columns = 1
	}
	var bands []chart.Band
	for row := range slices.Chunk(panels, columns) {
		bands = append(bands, chart.Band{Panels: row})
	}
	return bands
}

var memoryStages = []plotted{
	{"Idle", "idle-RSS-bytes"}, {"One client", "one-RSS-bytes"}, {"All clients", "all-RSS-bytes"},
	{"Peak under load", "peak-RSS-bytes"}, {"At rest after it", "rest-RSS-bytes"},
}

// memoryChart shows what each scenario takes from its start to rest.
func (v *View) memoryChart() *chart.Chart {
	panel := rows(v.Scenarios, memoryStages, mib)
	c := &chart.Chart{Name: "memory-per-scenario", Title: "Resident memory of each scenario", Bands: []chart.Band{{Panels: []chart.Panel{panel}}},
		X: chart.Axis{Label: "Resident set, MiB", Write: onAxis}}
	return v.finish(c, v.Scenarios, v.ofTransports("peak-RSS-bytes", "the peak under load is"), v.ofTransports("rest-RSS-bytes", "at rest after it there are"))
}

// ofTransports says what a metric comes to on either transport.
func (v *View) ofTransports(unit, is string) string {
	var said []string
	for _, transport := range []string{"stdio", "http"} {
		ss := having(v.believed(transport, false), unit, "clients")
		if len(ss) > 0 {
			said = append(said, fmt.Sprintf("On %s, with %s clients, %s %s.", transport, span(ss, "clients"), is, extremes(ss, unit, middle)))
		}
	}
	return joinWords(said...)
}

// admittingChart shows the resident set while clients are admitted. What it
// grows by from stage to stage is in the slopes.
func (v *View) admittingChart() *chart.Chart {
	c := &chart.Chart{Name: "admitting", Title: "Resident memory while clients are admitted", X: chart.Axis{Ticks: []chart.Tick{
		{At: 0, Label: "Idle"}, {At: 1, Label: "One client"}, {At: 2, Label: "All clients"}}}}
	for _, transport := range []string{"stdio", "http"} {
		p := chart.Panel{Title: transport}
		for _, s := range v.Scenarios {
			if s.Transport == transport {
				p.Lines = append(p.Lines, admission(s))
			}
		}
		if panels := []chart.Panel{p}; len(valuesOf(panels)) > 0 {
			c.Bands = append(c.Bands, chart.Band{Y: axis("Resident set", mib, valuesOf(panels)), Panels: panels})
		}
	}
	if len(c.Bands) == 0 {
		return nil
	}
	return v.finish(c, v.Scenarios, v.ofTransports("one-RSS-bytes", "one client makes it"), v.ofTransports("all-RSS-bytes", "all of them make it"))
}

// admission is the line of a scenario.
func admission(s *Scenario) chart.Line {
	l := chart.Line{Name: s.Surface}
	if s.Telemetry {
		l.Name += ", telemetry"
	}
	for at, m := range memoryStages[:3] {
		if value := s.value(m, mib); value != nil {
			l.Points = append(l.Points, chart.Point{X: float64(at), Value: *value})
		}
	}
	return l
}

// startChart shows what the first client waits for.
func (v *View) startChart() *chart.Chart {
	metrics := []plotted{{"Process ready", "ready-ns"}, {"First tools/list", "first-list-ns"},
		{"First tools/call, a GitLab read", "first-call-ns"}, {"A later tools/list", "warm-list-ns"}}
	panels := []chart.Panel{rows(v.Scenarios, metrics, millis)}
	c := &chart.Chart{Name: "start-and-first-list", Title: "What the first client waits for", X: axis("Time", millis, valuesOf(panels)), Bands: inBands(panels, 1)}
	return v.finish(c, v.Scenarios, v.ofTransports("ready-ns", "the process is ready after"), v.ofTransports("first-list-ns", "its first tools/list takes"),
		v.ofTransports("first-call-ns", "its first tools/call takes"))
}

// latencyChart shows percentiles of each method, one panel a method.
func (v *View) latencyChart() *chart.Chart {
	var panels []chart.Panel
	for _, m := range record.Methods() {
		if len(having(v.Scenarios, m.Unit("p50-ns"))) == 0 {
			continue
		}
		p := chart.Panel{Title: unmarked(methodName(m)), Bars: &chart.Bars{Series: []string{"p50", "p90", "p99"}}}
		for _, s := range v.Scenarios {
			p.Bars.Rows = append(p.Bars.Rows, percentileRow(s, m))
		}
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil
	}
	c := &chart.Chart{Name: "latency-per-method", Title: "Latency of each method, all clients calling", X: axis("Latency", millis, valuesOf(panels)),
		Bands: inBands(panels, 2), Note: percentileNote()}
	return v.finish(c, v.Scenarios, v.ofTransports(record.Call.Unit("p50-ns"), "half of the calls that read from GitLab take at most"),
		v.ofTransports(callP99, "99 in 100 of them take at most"))
}

// percentileRow has the percentiles of a method in one scenario, with the
// interval of the last.
func percentileRow(s *Scenario, m record.Method) chart.Row {
	row := chart.Row{Name: s.Title()}
	for _, p := range []string{"p50", "p90", "p99"} {
		v := s.percentile(m, p)
		if v != nil && p != "p99" {
			v.Lo, v.Hi = v.At, v.At
		}
		row.Values = append(row.Values, v)
	}
	return row
}

package page

import (
	"fmt"
	"slices"
	"strconv"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
)

// soakPoints is about how many points a line over time has: more would hide each other.
const soakPoints = 48

// soakChart shows what a process takes while a long load goes on, and after it.
func (v *View) soakChart() *chart.Chart {
	memory := chart.Panel{Title: "Memory", Mark: v.Soak.loadEnds()}
	for _, m := range []plotted{{"Resident set", "now-RSS-bytes"}, {"Heap at which a collection is due", "now-goal-bytes"}, {"Heap in use", "now-heap-bytes"}} {
		memory.Lines = append(memory.Lines, v.Soak.line(m, mib)...)
	}
	held := chart.Panel{Title: "Descriptors, goroutines, threads"}
	for _, m := range []plotted{{"Goroutines", "now-goroutines"}, {"Descriptors", "now-descriptors"}, {"Threads", "now-threads"}} {
		held.Lines = append(held.Lines, v.Soak.line(m, plain)...)
	}
	c := &chart.Chart{
		Name: "soak", Title: "Memory over a long load, and at rest after it", X: chart.Axis{Label: "Minutes since the load began", Write: onAxis},
		Bands: []chart.Band{{Y: chart.Axis{Label: "MiB", Write: onAxis}, Panels: []chart.Panel{memory}}, {Y: chart.Axis{Label: "Number", Write: onAxis}, Panels: []chart.Panel{held}}},
		Note:  "Each point is the median of the readings around it, and whiskers span them. Hollow: no load.",
	}
	if len(memory.Lines) == 0 {
		return nil
	}
	return v.of(v.Soak.Whole.All[0]).finish(c, []*Scenario{v.Soak.Whole}, v.Soak.growth())
}

// minute is when a reading was taken, and loaded whether there was load.
func minute(r record.Result) float64 {
	second, _ := strconv.ParseFloat(r.Part("second"), 64) // a reading without one is at the start
	return second / 60
}

func loaded(r record.Result) bool { return r.About("phase") != "rest" }

// loadEnds marks the end of the first load.
func (s *Soak) loadEnds() *chart.Mark {
	for i, r := range s.Readings {
		if i > 0 && !loaded(r) {
			return &chart.Mark{At: minute(s.Readings[i-1]), Label: "first load ends"}
		}
	}
	return nil
}

// line draws a metric of the readings, a line for each load.
func (s *Soak) line(m plotted, scale Scale) []chart.Line {
	each := max(1, len(s.Readings)/soakPoints)
	var lines []chart.Line
	for _, stretch := range s.stretches() {
		line := chart.Line{Name: m.words}
		for few := range slices.Chunk(stretch, each) {
			if f := figureOf(m.unit, few); f.Known() {
				value := f.value(scale, m.words)
				value.Lo, value.Hi = f.Min/scale.Factor, f.Max/scale.Factor
				middle := few[len(few)/2]
				value.Doubted = !loaded(middle)
				value.Says = fmt.Sprintf("%s: %s after %.1f min, %s", m.words, f.spread(fitting), minute(middle), map[bool]string{true: "under load", false: "no load"}[loaded(middle)])
				line.Points = append(line.Points, chart.Point{X: minute(middle), Value: value})
			}
		}
		if len(line.Points) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// stretches are the readings of each phase in turn.
func (s *Soak) stretches() [][]record.Result {
	var all [][]record.Result
	for _, r := range s.Readings {
		if n := len(all); n == 0 || all[n-1][0].About("phase") != r.About("phase") {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], r)
	}
	return all
}

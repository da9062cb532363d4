package page

import (
	"fmt"

	"mcpbench/internal/page/chart"
	"mcpbench/internal/record"
)

// overloadChart shows a variant over time, second by second, or is nil where the record has none.
func (v *View) overloadChart(o *Overloaded) *chart.Chart {
	if len(o.seconds) == 0 {
		return nil
	}
	bands := []struct {
		label string
		scale Scale
		lines []plotted
	}{
		{"Calls a second", plain, []plotted{{"Answered", "answered-in-second"}, {"Refused", "refused-in-second"}}},
		{"Resident set", mib, []plotted{{"Resident set", "RSS-in-second-bytes"}}},
		{"Latency of the probe", millis, []plotted{{"Probe, median", "probe-in-second-p50-ns"}, {"Probe, longest", "probe-in-second-max-ns"}}},
	}
	c := &chart.Chart{Name: "overload-" + o.variant(), Title: o.Title(), X: o.axis(),
		Note: "Each point is one second. The lower two panels are of all seconds, also of those in which the overload sets off or ends."}
	for i, b := range bands {
		panel := chart.Panel{Mark: o.mark(i == 0)}
		for _, m := range b.lines {
			panel.Lines = append(panel.Lines, o.line(m, b.scale))
		}
		c.Bands = append(c.Bands, chart.Band{Y: axis(b.label, b.scale, valuesOf([]chart.Panel{panel})), Panels: []chart.Panel{panel}})
	}
	return v.of(o.All[0]).finish(c, []*Scenario{o.Scenario}, o.alt())
}

// of is a view whose charts say that they belong to a result.
func (v *View) of(r record.Result) *View {
	own := *v
	own.any, own.Dates = r, []string{r.About(record.KeyDate)}
	return &own
}

// axis has its ticks every ten seconds.
func (o *Overloaded) axis() chart.Axis {
	a := chart.Axis{Label: "Seconds"}
	for s := 0; s <= len(o.seconds); s += 10 {
		a.Ticks = append(a.Ticks, chart.Tick{At: float64(s), Label: fmt.Sprint(s)})
	}
	return a
}

// phase is from which second to which a phase lasts.
func (o *Overloaded) phase(name string) (from, to int) {
	from = -1
	for _, r := range o.seconds {
		if r.About("phase") != name {
			continue
		}
		if from < 0 {
			from = secondOf(r)
		}
		to = secondOf(r) + 1
	}
	return from, to
}

// mark is where the overload begins, which the first panel says in words.
func (o *Overloaded) mark(words bool) *chart.Mark {
	from, to := o.phase("during")
	if from < 0 {
		return nil
	}
	m := &chart.Mark{At: float64(from)}
	if words {
		m.Label = fmt.Sprintf("Overload from second %d to second %d", from, to)
	}
	return m
}

// line draws a metric of all seconds.
func (o *Overloaded) line(m plotted, scale Scale) chart.Line {
	line := chart.Line{Name: m.words}
	for _, r := range o.seconds {
		amount, known := r.Value(m.unit)
		if !known {
			continue
		}
		at := amount / scale.Factor
		line.Points = append(line.Points, chart.Point{X: float64(secondOf(r)), Value: chart.Value{
			At: at, Lo: at, Hi: at, Doubted: !o.Believed(),
			Says: fmt.Sprintf("%s, second %d, %s the overload: %s", m.words, secondOf(r), r.About("phase"), scale.with(amount)),
		}})
	}
	return line
}

// alt says what there is to see.
func (o *Overloaded) alt() string {
	said := ""
	for _, f := range []plotted{
		{"Admitted, calls a second", "admitted-calls/s"}, {"refused", "rejected-calls/s"},
		{"resident set in the second half", "second-half-RSS-bytes"}, {"p99 of the probe", "probe-during-p99-ns"},
	} {
		if figure := o.Figure(f.unit); figure.Known() {
			said += f.words + ": " + figure.String() + "; "
		}
	}
	if said == "" {
		return ""
	}
	return said[:len(said)-2] + "."
}

package page

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// Draw arranges a record into a page.
func Draw(rec *record.Record) (*Document, error) {
	v, err := NewView(rec)
	if err != nil {
		return nil, err
	}
	return &Document{
		Title: "What " + escape(v.subjects()) + " costs to run",
		Sections: slices.DeleteFunc([]Section{
			{Blocks: v.heading()},
			section("At a glance", v.glance()...),
			section("Memory", v.memory()...),
			section("Processor time", v.processorTime()...),
			section("What a client waits for", v.waits()...),
			section("Latency under load", v.latency()...),
			section("Threads, descriptors, goroutines", v.process()...),
			section("Refused and failed calls", v.outcomes()...),
			section("How this was measured", v.measured()...),
			section("What was not measured", notMeasured()),
			section("Measuring again", v.again()...),
		}, Section.empty),
		Covers: coverage(rec),
	}, nil
}

// empty reports whether a section has nothing to say.
func (s Section) empty() bool {
	return !slices.ContainsFunc(s.Blocks, func(b Block) bool {
		return b.Text != "" || len(b.Items) > 0 || b.Table != nil || b.Code != ""
	})
}

// subjects names what was measured.
func (v *View) subjects() string {
	var names []string
	for _, s := range v.Scenarios {
		if s.Subject != "" && !slices.Contains(names, s.Subject) {
			names = append(names, s.Subject)
		}
	}
	if len(names) == 0 {
		return "the server"
	}
	return enumerate(names)
}

// heading says what the figures belong to: without it they mean nothing.
func (v *View) heading() []Block {
	blocks := []Block{text(v.hostLine()), text(v.buildLine() + " " + v.roundsLine())}
	if len(v.Missing) > 0 {
		blocks = append(blocks, text(fmt.Sprintf("**This record is partial.** Planned and not in it: %s.", escape(v.Missing.String()))))
	}
	for _, dropped := range v.Dropped {
		blocks = append(blocks, text("**Left out of the record:** "+escape(path.Base(dropped))+"."))
	}
	return blocks
}

func (v *View) hostLine() string {
	about := func(key, form string) string {
		if value := v.any.About(key); value != "" {
			return fmt.Sprintf(form, escape(value))
		}
		return ""
	}
	return "Host: " + joined(about(record.KeyHost, "%s"), about(record.KeyCPU, "%s"), about(record.KeyMemory, "%s of memory"),
		platform(v.any), about(record.KeyKernel, "kernel %s"),
		about(record.KeySubjectCPUs, "server on CPU %s"), about(record.KeySuiteCPUs, "suite on CPU %s")) + "."
}

func platform(r record.Result) string {
	return escape(strings.Trim(r.About(record.KeyGOOS)+"/"+r.About(record.KeyGOARCH), "/"))
}

func (v *View) buildLine() string {
	var parts []string
	if build := v.any.About(record.KeyBuild); build != "" {
		parts = append(parts, escape(build))
	}
	if commit := v.any.About(record.KeyCommit); commit != "" {
		parts = append(parts, "commit `"+short(commit)+"`")
	}
	if sum := v.any.About(record.KeySHA256); sum != "" {
		parts = append(parts, "SHA-256 `"+short(sum)+"…`")
	}
	if toolchain := v.any.About(record.KeyGoSubject); toolchain != "" {
		parts = append(parts, "built with "+escape(toolchain))
	}
	return "Build: " + joined(parts...) + "." + v.dateLine()
}

// short is as much of a hash as people compare by eye.
func short(hash string) string { return hash[:min(len(hash), 12)] }

func (v *View) dateLine() string {
	if len(v.Dates) == 0 {
		return ""
	}
	first, last := v.Dates[0], v.Dates[len(v.Dates)-1]
	if first == last {
		return " Measured " + escape(first) + "."
	}
	return " Measured from " + escape(first) + " to " + escape(last) + "."
}

// roundsLine says what the figures of the tables are and what they lack.
func (v *View) roundsLine() string {
	least, most := v.rounds()
	needed := stat.MinValues(0.5, stat.Confidence)
	rounds := fmt.Sprintf("%d %s", most, plural(most, "round"))
	if least < most {
		rounds = fmt.Sprintf("%d to %d rounds", least, most)
	}
	interval := fmt.Sprintf("%.0f%% interval", 100*stat.Confidence)
	switch {
	case most == 1:
		return fmt.Sprintf("Every figure is from %s; an interval needs %d.", rounds, needed)
	case most < needed:
		return fmt.Sprintf("Figures are medians over %s, with the smallest and largest in brackets where they read differently; a %s needs %d rounds.", rounds, interval, needed)
	case least < needed:
		return fmt.Sprintf("Figures are medians over %s, in brackets the %s, or the smallest and largest where there are fewer than the %d rounds it needs.", rounds, interval, needed)
	}
	return fmt.Sprintf("Figures are medians over %s, with the %s in brackets where its ends read differently.", rounds, interval)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// joined puts commas between the parts that are there.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

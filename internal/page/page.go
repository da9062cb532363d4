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
	sections := []Section{{Blocks: v.heading(), Small: true}, {Blocks: v.warnings()},
		section("At a glance", v.glance()...), section(planningHeading, v.planning()...)}
	sections = append(sections, v.points()...)
	sections = append(sections, section("Series: side by side", v.sideBySide()...))
	for _, l := range v.Ladders {
		sections = append(sections, section(l.heading(), l.blocks()...))
	}
	sections = append(sections,
		section("What sizing rests on", v.sized()...),
		section(fitsHeading, v.fits()...),
		section("Limits put to the test", v.proofs()...),
		section("Gates", v.gates()...),
		section("Soak", v.soak()...),
		section("Refused and failed calls", v.outcomes()...),
		section("More than the server admits", v.overload()...),
		section("Clients that go away", v.abandoned()...),
		section("Noise floor", v.noise()...),
		section("How this was measured", v.measured()...),
		section("What was not measured", v.notMeasured()),
		section("Measuring again", v.again()...))
	return &Document{
		Title:      "What " + escape(v.subjects()) + " costs to run",
		Lead:       v.lead(),
		Sections:   slices.DeleteFunc(sections, Section.empty),
		Calculator: v.calculator(),
		Covers:     CoverageOf(rec),
	}, nil
}

// points is what there is to say of the point scenarios, if there are any.
func (v *View) points() []Section {
	if len(v.Scenarios) == 0 {
		return nil
	}
	return []Section{
		section("Memory", v.memory()...),
		section("Processor time", v.processorTime()...),
		section("What a client waits for", v.waits()...),
		section("Latency under load", v.latency()...),
		section("Threads, descriptors, goroutines", v.process()...),
	}
}

// empty reports whether a section has nothing to say.
func (s Section) empty() bool {
	return !slices.ContainsFunc(s.Blocks, func(b Block) bool {
		return b.Text != "" || len(b.Items) > 0 || len(b.Answers) > 0 || b.Table != nil || b.Code != "" || b.Chart != nil
	})
}

// subjects names what was measured.
func (v *View) subjects() string {
	var names []string
	for _, s := range v.everything() {
		if s.Subject != "" {
			names = withNew(names, s.Subject)
		}
	}
	if subject := v.any.Part("subject"); subject != "" {
		names = withNew(names, subject)
	}
	if len(names) == 0 {
		return "the server"
	}
	return enumerate(names)
}

// lead says in one sentence what the figures are of: machine, build, method and
// date. The small print has all of it.
func (v *View) lead() string {
	of := "Measured" + v.about(record.KeyHost, " on %s") + v.about(record.KeyBuild, " with %s")
	if len(v.Dates) > 0 {
		of += ", " + escape(day(v.Dates[len(v.Dates)-1]))
	}
	if len(v.everything()) == 0 {
		return of + "."
	}
	least, most := rounds(v.everything())
	taken := inRounds(most)
	if least < most {
		taken = fmt.Sprintf("%d to %s", least, taken)
	}
	of += ", in " + taken
	if loops := v.loops(); len(loops) > 0 {
		of += " of " + escape(enumerate(loops))
	}
	return of + "."
}

// loops are the kinds of load, as the record's methods begin.
func (v *View) loops() []string {
	var kinds []string
	for _, m := range eachMethod(v.everything()) {
		kind, _, _ := strings.Cut(m, ",")
		kinds = withNew(kinds, kind)
	}
	return kinds
}

// day is the date of a moment.
func day(moment string) string {
	date, _, _ := strings.Cut(moment, "T")
	return date
}

// files are what the record is made of, by their names.
func (v *View) files() []string {
	seen := make(map[string]bool)
	for _, s := range v.everything() {
		for _, r := range s.All {
			if r.File != "" {
				seen[path.Base(r.File)] = true
			}
		}
	}
	return sortedKeys(seen)
}

// heading says what the figures belong to: without it they mean nothing.
func (v *View) heading() []Block {
	return paragraphs(v.hostLine(), v.methodLine(), joinWords(v.buildLine(), v.dateLine(), roundsLine(v.everything())))
}

// warnings say what the record lacks.
func (v *View) warnings() []Block {
	var lines []string
	if len(v.Missing) > 0 {
		lines = append(lines, fmt.Sprintf("**This record is partial.** Planned and not in it: %s.", escape(listed(v.Missing))))
	}
	for _, dropped := range v.Dropped {
		lines = append(lines, "**Left out of the record:** "+escape(path.Base(dropped))+".")
	}
	return paragraphs(lines...)
}

// paragraphs has a block for each line that says something.
func paragraphs(lines ...string) []Block {
	var blocks []Block
	for _, line := range lines {
		if line != "" {
			blocks = append(blocks, text(line))
		}
	}
	return blocks
}

// about says what the results say under key, in the given form, or nothing.
func (v *View) about(key, form string) string {
	if value := v.any.About(key); value != "" {
		return fmt.Sprintf(form, escape(value))
	}
	return ""
}

func (v *View) hostLine() string {
	return labelled("Host", v.about(record.KeyHost, "%s"), v.about(record.KeyCPU, "%s"), v.about(record.KeyMemory, "%s of memory"),
		platform(v.any), v.about(record.KeyKernel, "kernel %s"),
		v.about(record.KeySubjectCPUs, "server on CPU %s"), v.about(record.KeySuiteCPUs, "suite on CPU %s"))
}

func platform(r record.Result) string {
	return escape(strings.Trim(r.About(record.KeyGOOS)+"/"+r.About(record.KeyGOARCH), "/"))
}

func (v *View) buildLine() string {
	hash := func(key, form string) string {
		if value := v.any.About(key); value != "" {
			return fmt.Sprintf(form, short(value))
		}
		return ""
	}
	return labelled("Build", v.about(record.KeyBuild, "%s"), hash(record.KeyCommit, "commit `%s`"),
		hash(record.KeySHA256, "SHA-256 `%s…`"), v.about(record.KeyGoSubject, "built with %s"))
}

// methodLine says in short how each part of the page was measured. The section
// on that says it in full.
func (v *View) methodLine() string {
	var steps, open []*Scenario
	for _, l := range v.Ladders {
		steps, open = append(steps, l.Steps...), append(open, l.Open...)
	}
	var parts []string
	for _, part := range []struct {
		words string
		of    []*Scenario
	}{{"scenarios in a ", v.Scenarios}, {"series in a ", steps}, {"calls at a rate in an ", open}} {
		if all := eachMethod(part.of); len(all) > 0 {
			parts = append(parts, part.words+escape(strings.Join(all, "; ")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Method: " + strings.Join(parts, "; ") + "."
}

// short is as much of a hash as people compare by eye, and all that follows it.
func short(hash string) string {
	rest := strings.TrimLeft(hash, "0123456789abcdef")
	digits := hash[:len(hash)-len(rest)]
	return digits[:min(len(digits), 12)] + escape(rest)
}

func (v *View) dateLine() string {
	if len(v.Dates) == 0 {
		return ""
	}
	first, last := v.Dates[0], v.Dates[len(v.Dates)-1]
	if first == last {
		return "Measured " + escape(first) + "."
	}
	return "Measured from " + escape(first) + " to " + escape(last) + "."
}

// roundsLine says what the figures of the tables are and what they lack.
func roundsLine(scenarios []*Scenario) string {
	least, most := rounds(scenarios)
	if most == 0 {
		return ""
	}
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

// labelled is a sentence of the parts that are there, or nothing.
func labelled(label string, parts ...string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	if len(parts) == 0 {
		return ""
	}
	return label + ": " + strings.Join(parts, ", ") + "."
}

// joinWords puts a space between the sentences that are there.
func joinWords(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

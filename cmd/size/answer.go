package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"mcpbench/internal/page"
)

// answer is what the record says of a crowd.
type answer struct {
	model              *page.Calculator
	record             string
	surface, transport string
	need               page.Need
	grant              page.Grant // empty where no limit can be given
}

// write prints the answer. One without a limit is an error.
func (a answer) write(w io.Writer, o options) error {
	_, why := a.need.Limit()
	if o.json && why == "" {
		return a.writeJSON(w)
	}
	if o.json {
		return fmt.Errorf("no limit can be given: %s", why)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n%s\n", a.question(), a.table(), a.source())
	if why == "" {
		a.snippets(&b, o.platform)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if why != "" {
		return fmt.Errorf("no limit can be given: %s", why)
	}
	return nil
}

// question repeats what was asked.
func (a answer) question() string {
	n := a.need
	of := a.surface + " over " + a.transport + ": "
	if n.Every > 0 {
		return of + fmt.Sprintf("%d people, a call of each every %v: %s calls a second, %s in flight on average and %d at most at nearly all moments",
			n.People, n.Every, page.Significant(n.PerSecond), page.Significant(n.Mean), n.Most)
	}
	return of + fmt.Sprintf("%d credentials held, %d of them with a call in flight at all times", n.People, n.Most)
}

// table has a line for each figure, or why there is none.
func (a answer) table() string {
	n := a.need
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, value string) { _, _ = fmt.Fprintf(w, "%s\t%s\n", name, value) }
	each := ""
	if n.Processes > 1 {
		each = fmt.Sprintf(" for each of %d processes", n.Processes)
	}
	if _, why := n.Limit(); why != "" {
		line("memory", "n/a: "+why)
	} else {
		g := a.grant
		line("memory expected", ranged(n.Memory, mebi, "MiB"))
		line("memory request", fmt.Sprintf("%d MiB%s", g.Request, each))
		line("memory limit", fmt.Sprintf("%d MiB%s, %v times the upper end", g.Limit, each, page.Headroom))
		line("GOMEMLIMIT", fmt.Sprintf("%d MiB", g.Soft))
	}
	cores, why := n.Cores()
	if why == "" && cores.Hi < finest {
		line("cores", fmt.Sprintf("under %v", finest))
	} else {
		line("cores", rangedOr(cores, 1, "", why))
	}
	p99, why := n.P99()
	line("tools/call p99", rangedOr(p99, float64(time.Millisecond), "ms", why))
	if n.Extrapolated != "" {
		line("extrapolated", n.Extrapolated)
	}
	_ = w.Flush() // a buffer takes everything
	return b.String()
}

const (
	mebi = 1 << 20
	// finest is the least part of a core that anybody plans by.
	finest = 0.01
)

// rangedOr is a range, or the reason why there is none.
func rangedOr(r page.Range, scale float64, unit, why string) string {
	if why != "" {
		return "n/a: " + why
	}
	return ranged(r, scale, unit)
}

// ranged writes a range in units of scale.
func ranged(r page.Range, scale float64, unit string) string {
	write := func(v float64) string { return page.Significant(v / scale) }
	text := strings.TrimSpace(write(r.Middle) + " " + unit)
	if r.Lo == r.Middle && r.Hi == r.Middle {
		return text
	}
	return fmt.Sprintf("%s, from %s to %s", text, write(r.Lo), write(r.Hi))
}

// source names the record and what it is of.
func (a answer) source() string {
	return fmt.Sprintf("By %s (%s): %s on %s, measured until %s.", a.record, strings.Join(a.model.Record, ", "),
		a.model.Build, a.model.Host, a.model.Measured)
}

// snippets prints the settings that were asked for.
func (a answer) snippets(b *strings.Builder, platform string) {
	for _, p := range page.Platforms() {
		if platform == "all" || platform == string(p) {
			fmt.Fprintf(b, "\nFor %s:\n\n%s\n", p, indented(a.grant.Snippet(p)))
		}
	}
}

func indented(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

// writeJSON prints the need in base units: bytes, nanoseconds, cores. What is
// not known is left out.
func (a answer) writeJSON(w io.Writer) error {
	n := a.need
	out := map[string]any{
		"surface": a.surface, "transport": a.transport, "credentials": n.People, "calling": n.Most, "processes": n.Processes,
		"memoryBytes": n.Memory, "limitBytes": a.grant.Limit * mebi, "softLimitBytes": a.grant.Soft * mebi,
		"record": files(a.record, a.model.Record), "build": a.model.Build, "host": a.model.Host,
	}
	if cores, why := n.Cores(); why == "" {
		out["cores"] = cores
	}
	if p99, why := n.P99(); why == "" {
		out["callP99Nanoseconds"] = p99
	}
	if n.Extrapolated != "" {
		out["extrapolated"] = n.Extrapolated
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// files are the paths of a record's files.
func files(record string, names []string) []string {
	if filepath.Ext(record) == ".txt" {
		return []string{record}
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(record, name)
	}
	return paths
}

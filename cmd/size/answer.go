package main

import (
	"encoding/json"
	"errors"
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

// write prints the answer, without what it is from. One without a limit is an
// error.
func (a answer) write(w io.Writer, o options) error {
	_, why := a.need.Limit()
	var err error
	switch {
	case !o.json:
		_, err = fmt.Fprintf(w, "%s\n\n%s\n", a.question(), a.table())
	case why == "":
		err = a.writeJSON(w)
	}
	return errors.Join(err, a.without(o))
}

// without is why there is no limit, and what to do about it.
func (a answer) without(o options) error {
	_, why := a.need.Limit()
	if why == "" {
		return nil
	}
	todo := fmt.Sprintf("a larger -beyond than %v follows lines further, where there are any; or ask for a part of the credentials", o.beyond)
	switch {
	case a.need.Load == nil && o.people > 1:
		todo = fmt.Sprintf("ask for a part of the people, such as -people %d", (o.people+1)/2)
	case a.need.Load == nil && o.calling > 1:
		todo = "ask for a part of the calls"
	}
	return fmt.Errorf("no limit can be given on %s, %s; %s, and start as many processes as there are parts", a.surface, why, todo)
}

// question repeats what was asked.
func (a answer) question() string {
	n := a.need
	of := a.surface + " over " + a.transport + ": "
	if n.Every > 0 {
		asked := of + fmt.Sprintf("%s people, a call of each every %v: %s calls a second", whole(n.People), n.Every, page.Significant(n.PerSecond))
		if n.Load == nil {
			return asked
		}
		return asked + fmt.Sprintf(", %s in flight on average and no more than %d at %v%% of all moments", page.Significant(n.Mean), n.Most, 100*a.model.Crowded)
	}
	return of + fmt.Sprintf("%s credentials held, %s of them with a call in flight at all times", whole(n.People), whole(n.Most))
}

// table has a line for each figure, or why there is none.
func (a answer) table() string {
	n := a.need
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, value string) { _, _ = fmt.Fprintf(w, "%s\t%s\n", name, value) }
	each := ""
	if n.Processes > 1 {
		each = fmt.Sprintf(" for each of %s processes", whole(n.Processes))
	}
	if _, why := n.Limit(); why != "" {
		line("memory", "n/a: "+why)
	} else {
		g := a.grant
		all := strings.Replace(each, "for each of", "for all", 1)
		line("memory expected", ranged(n.Memory, mebi, "MiB")+all)
		line("memory request", fmt.Sprintf("%s MiB%s", whole(g.Request), each))
		line("memory limit", fmt.Sprintf("%s MiB%s, %v times the upper end", whole(g.Limit), each, page.Headroom))
		line("GOMEMLIMIT", fmt.Sprintf("%s MiB%s", whole(g.Soft), each))
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
	if a.model.LargeAnswers != "" {
		line("large answers", "not in this: "+a.model.LargeAnswers)
	}
	if together := a.model.Together(a.surface, a.transport); together != "" {
		line("more surfaces", "not in this: "+together)
	}
	_ = w.Flush() // a buffer takes everything
	return b.String()
}

const (
	mebi = 1 << 20
	// finest is the least part of a core that anybody plans by.
	finest = 0.01
)

// whole writes a number with its thousands grouped.
func whole(n int) string { return page.Significant(float64(n)) }

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

// source names a record, what it is of, and what its waits were measured with.
func source(record string, of *page.Calculator) string {
	said := fmt.Sprintf("By %s (%s): %s on %s, measured until %s.", record, strings.Join(of.Record, ", "), of.Build, of.Host, of.Measured)
	if free := of.Free(); free != "" {
		said += fmt.Sprintf(" Waits were measured with %s free for the server.", free)
	}
	return said
}

// snippets are the settings that were asked for.
func (a answer) snippets(platform string) string {
	if _, why := a.need.Limit(); why != "" {
		return ""
	}
	var b strings.Builder
	for _, p := range page.Platforms() {
		if platform == "all" || platform == string(p) {
			fmt.Fprintf(&b, "\nFor %s:\n\n%s\n", p, indented(a.grant.Snippet(p)))
		}
	}
	return b.String()
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

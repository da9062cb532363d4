package compare

import (
	"fmt"
	"slices"
	"strings"
)

// headline is the verdict in one sentence.
func (c *Comparison) headline() string {
	line := c.lead()
	if rest := tally(slices.DeleteFunc(c.Figures(), func(f Figure) bool { return f.Verdict == Worse })); rest != "" {
		line += ": " + rest
	}
	line += fmt.Sprintf(", in %s.", count(len(c.Scenarios), "scenario"))
	if n := len(c.Unbelieved); n > 0 {
		line += fmt.Sprintf(" **%s could not be compared**, for every result of one record has a certificate.", count(n, "scenario"))
	}
	return c.warning() + line
}

// warning is what stands before everything else of a forced comparison.
func (c *Comparison) warning() string {
	var keys []string
	for _, d := range c.Differences {
		if !slices.Contains(keys, d.Key) {
			keys = append(keys, d.Key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return fmt.Sprintf("**Compared by force: the records were not measured alike** (%s). ", strings.Join(keys, ", "))
}

// lead is the part of the headline that people act on.
func (c *Comparison) lead() string {
	all, worse, exact, tested := c.Figures(), 0, 0, 0
	for _, f := range all {
		if f.Verdict == Worse {
			worse++
			exact += one(f.Metric.Exact)
		}
		tested += one(!f.Metric.Exact && f.Verdict != Untold)
	}
	are := "are"
	if worse == 1 {
		are = "is"
	}
	switch {
	case len(all) == 0:
		return "**Nothing was compared**"
	case exact > 0:
		return fmt.Sprintf("**%d of %s %s worse** (%d of them exact)", worse, count(len(all), "figure"), are, exact)
	case worse > 0:
		return fmt.Sprintf("**%d of %s %s worse**", worse, count(len(all), "figure"), are)
	case tested == 0:
		return "**Too few rounds for a verdict** on what was measured"
	}
	return fmt.Sprintf("**None of %s is found worse**", count(len(all), "figure"))
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// tally counts verdicts, those that matter most first.
func tally(figures []Figure) string {
	var parts []string
	for _, kind := range []struct {
		Verdict
		words string
	}{
		{Worse, "worse"}, {Better, "better"}, {Changed, "changed without being worse or better"},
		{Unchanged, "without significant change"}, {WithinNoise, "within the noise"}, {Untold, "not tellable"},
	} {
		n := 0
		for _, f := range figures {
			n += one(f.Verdict == kind.Verdict)
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind.words))
		}
	}
	return strings.Join(parts, ", ")
}

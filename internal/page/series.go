package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpbench/internal/record"
	"mcpbench/internal/stat"
)

// The columns of the tables of a series. A column of the same name in a table
// of point scenarios is the same metric.
var (
	stepMemoryColumns = []column{
		{"Admitted", "all-RSS-bytes", mib, Figure.spread},
		{"Mean, calling", "mean-RSS-bytes", mib, Figure.spread},
		{"Peak, calling", "peak-RSS-bytes", mib, Figure.spread},
		{"**Largest peak**", "peak-RSS-bytes", mib, Figure.largest},
		{"At rest", "rest-RSS-bytes", mib, Figure.spread},
		{"Live heap at rest", "rest-heap-bytes", mib, Figure.spread},
		{"Rest came after, s", "rest-ns", seconds, Figure.spread},
		{"Disconnected", "closed-RSS-bytes", mib, Figure.spread},
		{"Live heap, disconnected", "closed-heap-bytes", mib, Figure.spread},
	}
	stepProcessColumns = []column{
		{"Goroutines", "goroutines", plain, Figure.spread},
		{"Threads", "threads", plain, Figure.spread},
		{"Descriptors", "descriptors", plain, Figure.spread},
		{"Ready, ms", "ready-ns", millis, Figure.spread},
		{"First `tools/list`, ms", "first-list-ns", millis, Figure.spread},
		{"CPU to admit one, ms", "admit-cpu-ns/client", millis, Figure.spread},
		{"Suite's own cores", "suite-cpu-cores", plain, Figure.spread},
		{"Suite's own memory, MiB", "suite-RSS-bytes", mib, Figure.spread},
	}
)

// throughputColumns give times of a call in one scale, since they are read
// across.
func throughputColumns(scale Scale) []column {
	return []column{
		{"In flight", "inflight", plain, Figure.spread},
		{"Calls a round", "calls", plain, Figure.spread},
		{"Load, s", "load-ns", seconds, Figure.spread},
		{"Calls a second", "calls/s", plain, Figure.spread},
		{"One caller alone, a call, " + scale.Symbol, "alone-ns/call", scale, Figure.spread},
		{"Cores busy", "loaded-cpu-cores", plain, Figure.spread},
		{"CPU a call, mixed, " + scale.Symbol, "cpu-ns/call", scale, Figure.spread},
		{"CPU, `tools/call` only, " + scale.Symbol, record.Call.Unit("cpu-ns/call"), scale, Figure.spread},
		{"CPU, `tools/list` only, " + scale.Symbol, record.List.Unit("cpu-ns/call"), scale, Figure.spread},
	}
}

// heading names the section of a ladder.
func (l *Ladder) heading() string {
	if len(l.Steps) == 0 {
		return "Calls at a rate: " + escape(l.Title())
	}
	return fmt.Sprintf("Series: %s, %s", escape(l.Title()), populations(l.Steps))
}

// blocks is the section of a ladder.
func (l *Ladder) blocks() []Block {
	if len(l.Steps) == 0 {
		return l.offered()
	}
	again := func(columns []column) []Block {
		return tables((&tableMaker{notesAt: notesOfSection}).rows("Credentials", l.Steps, columns))
	}
	scale := smallest(l.Steps, "cpu-ns/call")
	return slices.Concat(
		[]Block{text(joinWords(l.loadShape(), roundsLine(l.Steps))), text(l.stopped())},
		[]Block{text("**Memory**, MiB. After the load, connections stay open while memory comes to rest, then all are closed and it comes to rest again; " +
			"the credentials are held throughout. Calling is what a limit has to clear, rest is what holding takes.")},
		tables((&tableMaker{}).rows("Credentials", l.Steps, stepMemoryColumns)), tables(l.fitTable()),
		[]Block{text("**Throughput and processor time**, with as many calls in flight as shown at all times. Calls a second are those completed while the load was steady: " +
			"from when every connection had its first answer until no call was begun. Load is for how long calls were begun: longer than asked for where connections " +
			"had too few answers by then. One caller alone is the mean time of a call, either method in turn, while one connection calls and all others are open and silent.")},
		again(throughputColumns(scale)), []Block{text(l.kneeWords())},
		[]Block{text("**Latency** in the same load, ms, from sending a request to the end of its reply. " + intervalNeeds())},
		tables((&tableMaker{notesAt: notesOfSection}).latency("Credentials", l.Steps, methodsInTurn(), "mean-ns", "p50-ns", "p90-ns", "p99-ns", "p999-ns")),
		l.offered(),
		[]Block{text("**Process and suite**, at the end of the load; what the first client waited for; and what admitting took.")},
		again(stepProcessColumns),
		l.composition(), l.oneStep())
}

// oneStep is the command that measures a single step again, which any step may
// be the example of.
func (l *Ladder) oneStep() []Block {
	steps := l.main()
	return []Block{text("One step alone is measured again by its name, here the largest of those loaded alike:"), code(oneStep(steps[len(steps)-1]))}
}

// loadShape says how a step was loaded, by its settings.
func (l *Ladder) loadShape() string {
	usual := l.Groups[0].Settings
	if usual == "" {
		return "The record does not say how the steps were loaded."
	}
	form := "Each step is a fresh process, loaded with %s."
	if len(l.Groups) > 1 {
		form = "Each step is a fresh process. Most were loaded with %s."
	}
	return fmt.Sprintf(form, loadWords(usual))
}

// loadWords puts settings into words: those that a reader needs in full, the
// others as they stand.
func loadWords(settings string) string {
	var words []string
	for word := range strings.FieldsSeq(settings) {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case key == "in-flight" && value == "1":
			words = append(words, "1 request in flight for each credential")
		case key == "in-flight":
			words = append(words, escape(value)+" requests in flight for each credential")
		case key == "step":
			words = append(words, escape(inWords(value))+" of mixed load a round")
		default:
			words = append(words, "`"+word+"`")
		}
	}
	return enumerate(words)
}

// inWords writes a duration of the settings as prose does.
func inWords(duration string) string {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return duration
	}
	return amount("step-ns", float64(d))
}

// knee finds where the ladder's throughput stops growing, from believed steps
// and the one caller of the lightest.
func (l *Ladder) knee() (stat.Knee, error) {
	steps := believedOf(l.main())
	var points []stat.Throughput
	if len(steps) > 0 {
		points = callersAlone(steps[0])
	}
	for _, s := range steps {
		for i, r := range s.Results {
			inflight, ok := r.Value("inflight")
			rate, ok2 := r.Value("calls/s")
			if !ok || !ok2 {
				continue
			}
			p50, _ := r.Value(record.Call.Unit("p50-ns")) // zero says that it is withheld
			p99, _ := r.Value(record.Call.Unit("p99-ns"))
			points = append(points, stat.Throughput{Round: roundOf(r, i), InFlight: int(inflight), PerSecond: rate,
				P50: time.Duration(p50), P99: time.Duration(p99)})
		}
	}
	return stat.FindKnee(points)
}

// callersAlone is a step below the ladder: one call in flight, round by round.
// Of its latency there are no percentiles.
func callersAlone(s *Scenario) []stat.Throughput {
	var points []stat.Throughput
	for i, r := range s.Results {
		if ns, ok := r.Value("alone-ns/call"); ok {
			points = append(points, stat.Throughput{Round: roundOf(r, i), InFlight: 1, PerSecond: float64(time.Second) / ns})
		}
	}
	return points
}

// most is what the ladder came to in calls a second where it is no plateau, of
// which a knee would be.
func (l *Ladder) most() float64 {
	most := 0.0
	for _, s := range having(believedOf(l.main()), "calls/s") {
		most = max(most, s.Figure("calls/s").Median)
	}
	return most
}

// roundOf is the number of a round, or its place where it has none.
func roundOf(r record.Result, place int) int {
	var n int
	if _, err := fmt.Sscan(r.About(record.KeyRound), &n); err != nil {
		return -1 - place
	}
	return n
}

// kneeWords says where throughput stops growing, under the table that shows it.
func (l *Ladder) kneeWords() string {
	k, err := l.knee()
	switch {
	case err != nil:
		return "Where throughput stops growing cannot be told: " + escape(err.Error()) + "."
	case !k.Found:
		return fmt.Sprintf("Where throughput stops growing is not shown: %s. The most it came to is %s calls a second.",
			escape(k.Reason), significant(l.most()))
	}
	rounds := ""
	if lo, hi := significant(k.Rounds.Min), significant(k.Rounds.Max); k.Rounds.N > 1 && lo != hi {
		rounds = fmt.Sprintf(" (%s in single rounds)", between(lo, hi))
	}
	if k.AtFoot {
		return fmt.Sprintf("Throughput does not grow beyond the lightest step: about %s calls in flight%s, or fewer, bring %s calls a second. More calls in flight than that wait longer and bring no more.",
			significant(k.InFlight), rounds, significant(k.PerSecond))
	}
	return fmt.Sprintf("Throughput stops growing at about %s calls in flight%s: %s calls a second, where a call that waits for no other takes %s. More calls in flight than that wait longer and bring no more.",
		significant(k.InFlight), rounds, significant(k.PerSecond), amount("call-ns", float64(k.Response)))
}

// smallest is the scale that fits the smallest figure of a metric.
func smallest(scenarios []*Scenario, unit string) Scale {
	known := having(scenarios, unit)
	if len(known) == 0 {
		return millis
	}
	least := known[0].Figure(unit).Median
	for _, s := range known {
		least = min(least, s.Figure(unit).Median)
	}
	return scaleOf(unit, least)
}

// totals is the rows of a ladder in a table of counts.
func (l *Ladder) totals() []*Scenario {
	var rows []*Scenario
	for _, part := range []struct {
		words string
		of    []*Scenario
	}{{"series", l.Steps}, {"at a rate", l.Open}} {
		if len(part.of) == 0 {
			continue
		}
		row := &Scenario{Kind: record.Point, Transport: l.Transport, Surface: l.Surface + ", " + part.words}
		for _, s := range part.of {
			row.All = append(row.All, s.All...)
		}
		rows = append(rows, row)
	}
	return rows
}

// ladderMethod says how series and open loops are measured.
const ladderMethod = "A step of a series is one process and that many distinct credentials. It is read idle; credentials are admitted, several at a time, " +
	"each with a first `tools/list`; one connection calls while all others are silent, which shows what a call takes that waits for no other; " +
	"every credential keeps its requests in flight, `tools/call` and `tools/list` in turn; the same with one method at a time, " +
	"which is where processor time for each comes from; the load stops and memory comes to rest; connections are closed and it comes to rest again. " +
	"Calls at a rate are sent when they fall due, at random moments and whether or not earlier ones were answered, and their latency counts from that moment."

// ladderMethods lists what the record says of the method of series and open
// loops. Their settings stand with their tables.
func (v *View) ladderMethods() []string {
	var items []string
	for _, kind := range []struct {
		words string
		of    func(*Ladder) []*Scenario
	}{
		{"Method of the series", func(l *Ladder) []*Scenario { return l.Steps }},
		{"Method of calls at a rate", func(l *Ladder) []*Scenario { return l.Open }},
	} {
		seen := make(map[string]bool)
		for _, l := range v.Ladders {
			for _, s := range kind.of(l) {
				if method := s.All[0].Config[record.KeyMethod]; method != "" {
					seen[method] = true
				}
			}
		}
		for _, method := range sortedKeys(seen) {
			items = append(items, kind.words+": "+escape(method))
		}
	}
	return items
}

package bench_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpbench/internal/mcp"
	"mcpbench/internal/meter"
	"mcpbench/internal/record"
	"mcpbench/internal/spawn"
	"mcpbench/internal/stat"
	"mcpbench/scenarios"
)

// suite is what the benchmarks share: what is measured, where, and where it is written to.
type suite struct {
	subject       *scenarios.Subject
	build         build
	host          meter.Host
	cpus          spawn.Split
	gitlabLatency time.Duration
	gitlabFault   gitlabFault
	profiles      string
	guards        guards
	series        []scenarios.Series
	offers        []scenarios.Offer
	noiseSteps    []scenarios.Step
	round         int

	// doing is what a signal interrupts.
	doing activity

	recordPath string
	writer     *record.Writer
	progress   *progress
	// results are those of this run and of the record that it resumes, and held names the latter.
	results []record.Result
	held    map[heldKey]*record.Result
	// loaded are the rungs of the ladder that have made their calls, and wait, by their names.
	loaded map[string]*rungRun
	// verdicts are those of the gates that have run.
	verdicts []stat.Verdict
}

// newSuite confines the suite to its CPUs and resolves the subject's binary.
func newSuite(ctx context.Context, o options) (*suite, error) {
	plan, err := confine(o.cpus)
	if err != nil {
		return nil, err
	}
	s := &suite{cpus: plan, gitlabLatency: o.gitlabLatency, gitlabFault: o.gitlabFault, profiles: o.profiles, held: make(map[heldKey]*record.Result)}
	if s.subject, err = loadSubject(o.subject); err != nil {
		return nil, err
	}
	if err := s.ladders(o); err != nil {
		return nil, err
	}
	if s.host, err = meter.ReadHost(); err != nil {
		return nil, err
	}
	if s.build, err = resolveBuild(ctx, s.subject, o.binary); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "bench_test: subject %s, build %s (%s), on CPU %s; suite on CPU %s\n", s.subject.Name,
		s.build.version, s.build.commit, spawn.FormatCPUs(plan.Subject), spawn.FormatCPUs(plan.Suite))
	return s, nil
}

// loadSubject loads a subject file and checks what only the mechanics know.
func loadSubject(name string) (*scenarios.Subject, error) {
	s, err := scenarios.Load(name)
	if err != nil {
		return nil, err
	}
	if !mcp.Version(s.Protocol).Known() {
		return nil, fmt.Errorf("subject %s: protocol %q is not one the suite speaks", name, s.Protocol)
	}
	return s, nil
}

// confine splits the CPUs and runs the suite again, with the same arguments, on its share of them.
func confine(list string) (spawn.Split, error) {
	if list == "" {
		cpus, err := spawn.CPUs()
		if err != nil {
			return spawn.Split{}, err
		}
		// In its second life the suite sees only its own share.
		list = spawn.FormatCPUs(cpus)
		os.Args = slices.Insert(os.Args, 1, "-cpus="+list)
	}
	cpus, err := spawn.ParseCPUs(list)
	if err != nil {
		return spawn.Split{}, err
	}
	plan := spawn.SplitCPUs(cpus)
	return plan, spawn.PinSelf(plan.Suite)
}

// ladders sets what series measure and how far they may go.
func (s *suite) ladders(o options) error {
	creds, err := scenarios.ParseCreds(o.creds)
	if err != nil {
		return err
	}
	s.series = scenarios.AllSeries(s.subject, creds, o.stepDuration)
	s.offers = scenarios.Offers(s.subject, o.stepDuration)
	s.noiseSteps = scenarios.NoiseSteps(s.subject, o.stepDuration)
	timeout, err := time.ParseDuration(flag.Lookup("test.timeout").Value.String())
	if err != nil {
		return fmt.Errorf("-timeout: %w", err)
	}
	s.guards, err = newGuards(o.memoryBudget, o.latencyCeiling, timeout)
	return err
}

// beginRecord begins the record, or continues the one that is resumed.
func (s *suite) beginRecord(o options) error {
	names := s.names()
	chosen := selected(flag.Lookup("test.bench").Value.String(), names)
	if chosen == 0 {
		return fmt.Errorf("-bench %q selects nothing; there are:\n%s", flag.Lookup("test.bench").Value, strings.Join(names, "\n"))
	}
	plan := s.plan(names, o.rounds)
	var err error
	if s.recordPath, err = recordPath(o.record); err != nil {
		return err
	}
	if o.resume {
		if _, err := os.Stat(s.recordPath); err == nil {
			// What is left out of a run that goes on is not to have more rounds for it.
			maps.DeleteFunc(plan, func(name string, _ int) bool { return !s.chosen(name) })
		}
		err = s.resume(plan)
	} else {
		s.writer, err = record.Create(s.recordPath, plan)
	}
	s.progress = newProgress(os.Stderr, chosen*o.rounds-s.heldOf(o.rounds))
	return err
}

// plan says what the record will hold once it is whole: every name of each kind that is selected at all.
func (s *suite) plan(names []string, rounds int) record.Plan {
	pattern := flag.Lookup("test.bench").Value.String()
	kind := func(name string) string { k, _, _ := strings.Cut(name, "/"); return k }
	kinds := make(map[string]bool)
	for _, name := range names {
		if selected(pattern, []string{name}) > 0 {
			kinds[kind(name)] = true
		}
	}
	plan := make(record.Plan)
	for _, name := range names {
		if !kinds[kind(name)] {
			continue
		}
		for _, result := range recordNames(name) {
			plan[result] = rounds
		}
	}
	return plan
}

// heldOf counts the benchmarks that -bench selects and the record that is resumed holds, in so many rounds.
func (s *suite) heldOf(rounds int) int {
	n := 0
	for _, benchmark := range s.names() {
		if selected(flag.Lookup("test.bench").Value.String(), []string{benchmark}) == 0 {
			continue
		}
		for round := range rounds {
			if s.held[heldKey{recordNames(benchmark)[0], round + 1}] != nil {
				n++
			}
		}
	}
	return n
}

// chosen reports whether -bench selects what the record calls by that name.
func (s *suite) chosen(name string) bool {
	return slices.ContainsFunc(s.names(), func(benchmark string) bool {
		return slices.Contains(recordNames(benchmark), name) && selected(flag.Lookup("test.bench").Value.String(), []string{benchmark}) > 0
	})
}

// resume continues a record, and skips what it holds of the same build, host and settings.
func (s *suite) resume(plan record.Plan) error {
	w, old, err := record.Append(s.recordPath, plan)
	if err != nil {
		return err
	}
	s.writer = w
	for _, dropped := range old.Dropped {
		fmt.Fprintln(os.Stderr, "bench_test:", dropped)
	}
	for i, r := range old.Results {
		if r.Identity[record.KeySHA256] != s.build.sha256 || !s.sameHost(r) {
			return fmt.Errorf("-resume: %s holds results of another build or host (%s): name another file with -record", s.recordPath, r.Name)
		}
		round, err := strconv.Atoi(r.Identity[record.KeyRound])
		if err != nil {
			return fmt.Errorf("-resume: %s: round %q of %s", s.recordPath, r.Identity[record.KeyRound], r.Name)
		}
		s.held[heldKey{r.Name, round}] = &old.Results[i]
	}
	s.results = old.Results
	return nil
}

// sameHost reports whether a result was measured under this run's conditions.
func (s *suite) sameHost(r record.Result) bool {
	for key, value := range s.config() {
		if r.Config[key] != value {
			return false
		}
	}
	return true
}

// recordPath is where the record goes: the path given, or a new name under out/ of the checkout, or
// in the working directory where there is no checkout.
func recordPath(given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	name := "record-" + time.Now().UTC().Format("20060102T150405.000Z") + ".txt"
	root, err := moduleRoot()
	if err != nil {
		return filepath.Abs(name)
	}
	dir := filepath.Join(root, "out")
	return filepath.Join(dir, name), os.MkdirAll(dir, 0o755)
}

// names lists every benchmark that there is, as -bench sees them, in the order in which they run.
func (s *suite) names() []string {
	var names []string
	for _, p := range scenarios.Points(s.subject) {
		names = append(names, "Point/"+p.Name(s.subject.Name))
	}
	for _, series := range s.series {
		for _, step := range series.Steps {
			names = append(names, "Series/"+step.Name(s.subject.Name))
		}
	}
	for _, o := range s.offers {
		names = append(names, "SeriesOpen/"+o.Name(s.subject.Name))
	}
	names = append(names, s.sizingNames()...)
	if named(record.Noise) {
		for _, r := range s.repetitions(1) {
			names = append(names, "Noise/"+r.name)
		}
	}
	return names
}

// recordNames is what the record calls the results of a benchmark. The open loops' benchmark is named so that the
// pattern Series chooses them as well, and one that looks by turns has a result of either.
func recordNames(name string) []string {
	if before, both := strings.CutSuffix(name, lookBoth); both {
		return []string{before + lookOn, before + lookOff}
	}
	return []string{strings.Replace(name, "SeriesOpen/", "Open/", 1)}
}

// heldKey names a result of one round.
type heldKey struct {
	name  string
	round int
}

// skip returns the result of this round if there is one already, from the record that is resumed. One that was
// measured with other settings cannot stand for it.
func (s *suite) skip(b *testing.B, name, settings string) (*record.Result, bool) {
	b.Helper()
	return s.skipWith(b, name, s.settings(settings))
}

// skipWith is skip by the whole of the settings.
func (s *suite) skipWith(b *testing.B, name, settings string) (*record.Result, bool) {
	b.Helper()
	if err := s.writer.Err(); err != nil {
		b.Fatalf("%s: not measured, for it could not be kept: %v", name, err)
	}
	old := s.held[heldKey{name, s.round}]
	if old == nil {
		return nil, false
	}
	if had := old.Config[record.KeySettings]; had != settings {
		b.Fatalf("-resume: %s holds round %d of %s with settings %q and not %q: name another file with -record",
			s.recordPath, s.round, name, had, settings)
	}
	b.Logf("round %d of %s is in the record already", s.round, name)
	return old, true
}

// keep puts a result on disk, and in mind for those that build on it. No name is measured twice in a round: a
// copy would pass for a repetition.
func (s *suite) keep(r record.Result) error {
	key := heldKey{r.Name, s.round}
	if s.held[key] != nil {
		return fmt.Errorf("round %d of %s was measured already", s.round, r.Name)
	}
	s.held[key] = &r
	s.results = append(s.results, r)
	return s.doing.recording(func() error { return s.writer.Write(r) })
}

func (s *suite) close() {
	fmt.Fprintln(os.Stderr, "bench_test: record in", s.recordPath)
	if err := s.writer.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "bench_test:", err)
	}
}

// config holds what makes two results incomparable.
func (s *suite) config() map[string]string {
	return map[string]string{
		record.KeyGOOS:        runtime.GOOS,
		record.KeyGOARCH:      runtime.GOARCH,
		record.KeyHost:        s.host.Label(),
		record.KeyCPU:         fmt.Sprintf("%s, %d logical", s.host.CPUModel, s.host.LogicalCPUs),
		record.KeyKernel:      s.host.Kernel,
		record.KeyMemory:      fmt.Sprintf("%.1f GiB", float64(s.host.MemoryTotal)/(1<<30)),
		record.KeySuiteCPUs:   spawn.FormatCPUs(s.cpus.Suite),
		record.KeySubjectCPUs: subjectCPUs(s.cpus),
		record.KeyGoSuite:     runtime.Version(),
	}
}

// subjectCPUs says where the subject runs, and that it is not as far from the suite as one would think.
func subjectCPUs(split spawn.Split) string {
	list := spawn.FormatCPUs(split.Subject)
	if split.Sharing == spawn.SameCore {
		list += " (of the suite's core)"
	}
	return list
}

// settings adds what the flags set to a kind's own settings.
func (s *suite) settings(own string) string { return s.settingsFor(launch{}, own) }

// settingsFor is settings where the launch may have a latency of GitLab of its own.
func (s *suite) settingsFor(l launch, own string) string {
	if s.gitlabFault != "" {
		own = fmt.Sprintf("gitlab-fault=%s %s", s.gitlabFault, own)
	}
	if opts.restWindow != defaultRestWindow {
		own += fmt.Sprintf(" rest-window=%s", opts.restWindow)
	}
	return fmt.Sprintf("gitlab-latency=%s %s", s.latencyFor(l), own)
}

// latencyFor is how long GitLab takes to answer.
func (s *suite) latencyFor(l launch) time.Duration {
	if l.latency != nil {
		return *l.latency
	}
	return s.gitlabLatency
}

// identity holds what tells a result from a comparable one.
func (s *suite) identity() map[string]string {
	return map[string]string{
		"title":             s.subject.Title,
		"runtime":           s.subject.Runtime,
		record.KeyBuild:     s.build.version,
		record.KeySHA256:    s.build.sha256,
		record.KeyCommit:    s.build.commit,
		record.KeyDate:      time.Now().UTC().Format(time.RFC3339),
		record.KeyRound:     fmt.Sprint(s.round),
		record.KeyGoSubject: s.build.toolchain,
		record.KeySuite:     suiteRevision(),
	}
}

// tested is the subject and the build that tests use. They resolve it once, and only if they need it.
var tested = sync.OnceValues(func() (*suite, error) {
	subject, err := loadSubject(opts.subject)
	if err != nil {
		return nil, err
	}
	s := &suite{subject: subject}
	s.build, err = resolveBuild(context.Background(), subject, opts.binary)
	return s, err
})

// requireSuite returns the suite for a test.
func requireSuite(t *testing.T) *suite {
	t.Helper()
	s, err := tested()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

package record

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidateRefuses(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Result)
		want   string
	}{
		{"no name", func(r *Result) { r.Name = "" }, "result without a name"},
		{"name with a space", func(r *Result) { r.Name = "Point/a=b c" }, "without spaces"},
		{"name with a no-break space", func(r *Result) { r.Name = "Point/a=b\u00a0c" }, "without spaces"},
		{"name with small letter", func(r *Result) { r.Name = "point" }, "want Kind"},
		{"name with the prefix's tail", func(r *Result) { r.Name = "Point/surface" }, "want Kind"},
		{"name with GOMAXPROCS", func(r *Result) { r.Name = "Point/subject=x-2" }, "GOMAXPROCS"},
		{"name with a key twice", func(r *Result) { r.Name = "Point/a=b/a=c" }, "a is given twice"},
		{"no iterations", func(r *Result) { r.Iterations = 0 }, "0 iterations"},
		{"no values", func(r *Result) { r.Values = nil }, "measured nothing"},
		{"unknown unit", func(r *Result) { r.Values[0].Unit = "idle-RSS-kB" }, `"idle-RSS-kB" is not in the table`},
		{"unit twice", func(r *Result) { r.Values[1] = r.Values[0] }, "idle-RSS-bytes is given twice"},
		{"NaN", func(r *Result) { r.Values[0].Amount = math.NaN() }, "name it absent"},
		{"infinite", func(r *Result) { r.Values[0].Amount = math.Inf(1) }, "name it absent"},
		{"negative bytes", func(r *Result) { r.Values[0].Amount = -1 }, "below zero"},
		{"a time of zero", func(r *Result) { r.Values[3].Amount = 0 }, "cpu-ns/call is 0"},
		{"absent unit unknown", func(r *Result) { r.Absent["nothing"] = "x" }, `absent unit "nothing"`},
		{"absent and measured", func(r *Result) { r.Absent["tools"] = "x" }, "tools is both measured and absent"},
		{"absent for no reason", func(r *Result) { r.Absent["exit-ns"] = "" }, "absence of exit-ns is empty"},
		{"configuration key", func(r *Result) { r.Config["GOOS"] = "x" }, "want small letters"},
		{"configuration empty", func(r *Result) { r.Config[KeyCPU] = "" }, "configuration cpu is empty"},
		{"configuration lines", func(r *Result) { r.Config[KeyCPU] = "a\nb" }, "not one line"},
		{"configuration not text", func(r *Result) { r.Config[KeyCPU] = "a\xff" }, "not one line"},
		{"configuration schema", func(r *Result) { r.Config["schema"] = "7" }, "meaning of its own"},
		{"identity space", func(r *Result) { r.Identity[KeyBuild] = " 1" }, "begins or ends with space"},
		{"identity reserved", func(r *Result) { r.Identity["absent"] = "x" }, "meaning of its own"},
		{"certificate", func(r *Result) { r.Certificate = []string{""} }, "certificate is empty"},
		{"stop", func(r *Result) { r.Stop = "a\tb" }, "stop"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.ErrorContains(t, vary(tc.change).Validate(), tc.want)
			w := newWriter("r.txt", &memFile{room: math.MaxInt})
			require.ErrorContains(t, w.Write(vary(tc.change)), "record r.txt: ")
		})
	}
	require.NoError(t, sample().Validate())
}

const good = "BenchmarkPoint/subject=s 1 5 tools\n"

func TestParseReportsTheLine(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", `r.txt: no "schema:" line`},
		{"other text", "hello\n", "not a record of this suite"},
		{"newer", "schema: 2\nwhatever\n", "schema 2 is newer than 1"},
		{"schema not a number", "schema: one\n", `schema "one": want a number`},
		{"stray line", "schema: 1\nPASS\n", `r.txt:2: "PASS" is not a line of a record`},
		{"no measurements", "schema: 1\nBenchmarkPoint\n", "r.txt:2: a benchmark line without measurements"},
		{"no iterations", "schema: 1\n\nBenchmarkPoint/a=b x\n", "r.txt:3: parsing iteration count"},
		{"unknown unit", "schema: 1\nBenchmarkPoint/a=b 1 5 parsecs\n", `r.txt:2: Point/a=b: unit "parsecs"`},
		{"NaN", "schema: 1\nBenchmarkPoint/a=b 1 NaN tools\n", "r.txt:2: Point/a=b: tools is NaN"},
		{"zero time", "schema: 1\nBenchmarkPoint/a=b 1 0 exit-ns\n", "exit-ns is 0"},
		{"comment", "schema: 1\n# just words\n" + good, `r.txt:2: "# just words": want "# key: value"`},
		{"identity twice", "schema: 1\n# round: 1\n# round: 2\n" + good, "r.txt:3: round is given twice"},
		{"stop twice", "schema: 1\n# stop: a\n# stop: b\n" + good, "r.txt:3: stop is given twice"},
		{"absent without reason", "schema: 1\n# absent: exit-ns\n" + good, "r.txt:2: absent"},
		{"absent twice", "schema: 1\n# absent: exit-ns: a\n# absent: exit-ns: b\n" + good, "r.txt:3: exit-ns is absent twice"},
		{"absent nothing", "schema: 1\n# absent: : a\n" + good, "r.txt:2: absent"},
		{"plan", "schema: 1\n# plan: many Point/a=b\n", "r.txt:2: plan"},
		{"plan of none", "schema: 1\n# plan: 0 Point/a=b\n", "planned for 0 rounds"},
		{"unit turned round", "schema: 1\nUnit tools better=higher\n", "r.txt:2: unit tools: better=higher"},
		{"unit line", "schema: 1\nUnit tools nonsense\n", "r.txt:2: expected key=value"},
		{"long line", "schema: 1\n## " + strings.Repeat("x", 70_000) + "\n", "token too long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(tc.text), "r.txt")
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestParseReportsEveryFault(t *testing.T) {
	_, err := Parse(strings.NewReader("schema: 1\nPASS\nBenchmarkPoint/a=b 1 5 parsecs\n"), "r.txt")
	require.ErrorContains(t, err, "r.txt:2:")
	require.ErrorContains(t, err, "r.txt:3:")

	_, err = Parse(iotest.ErrReader(errors.New("unplugged")), "r.txt")
	require.EqualError(t, err, "read record r.txt: unplugged")
}

// A declaration of a unit that has since left the table is no fault by itself.
func TestParseAllowsUnusedUnits(t *testing.T) {
	rec, err := Parse(strings.NewReader("schema: 1\nUnit parsecs better=higher\r\n## prose\n\n"+good), "r.txt")
	require.NoError(t, err)
	require.Len(t, rec.Results, 1)
	assert.Equal(t, 5, rec.Results[0].Line)
}

func TestReadJoinsFiles(t *testing.T) {
	one := written(t, Plan{pointName: 2}, sample())
	two := written(t, Plan{pointName: 1, "Point/subject=t": 1}, nextRound(sample()))
	rec, err := Read(one, two)
	require.NoError(t, err)
	assert.Equal(t, []Result{sample(), nextRound(sample())}, bare(rec.Results))
	assert.Equal(t, Plan{pointName: 2, "Point/subject=t": 1}, rec.Plan)
	assert.Equal(t, two, rec.Results[1].File)

	_, err = Read(one, two, one)
	require.ErrorContains(t, err, "the same result as "+one)

	_, err = Read()
	require.EqualError(t, err, "read record: no files")
	bad := filepath.Join(t.TempDir(), "bad.txt")
	require.NoError(t, os.WriteFile(bad, []byte("schema: 9\n"), 0o644))
	_, err = Read(one, filepath.Join(t.TempDir(), "gone.txt"), bad)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "schema 9 is newer")
}

// What parses must write back to the same results, whatever it looked like.
func FuzzParse(f *testing.F) {
	golden, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(golden))
	f.Add(string(golden[:len(golden)-7]))
	f.Add("schema: 1\n# plan: 2 Point/a=b\n# round: 1\ncpu: x\n" + good + "cpu:\n\n# stop: s\n" + good)
	f.Add("schema:1\r\nUnit tools assume=exact\nBenchmarkX 1 -0 tools 1e-3 exit-ns\n")
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := Parse(strings.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		out := &memFile{room: math.MaxInt}
		w := newWriter("fuzz", out)
		require.NoError(t, w.begin(&Record{}, rec.Plan, 0))
		for _, r := range rec.Results {
			require.NoError(t, w.Write(r))
		}
		again, err := Parse(strings.NewReader(string(out.data)), "again")
		require.NoError(t, err)
		require.Equal(t, bare(rec.Results), bare(again.Results))
		require.Equal(t, rec.Plan, again.Plan)
		require.Empty(t, again.Dropped)
	})
}

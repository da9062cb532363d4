package record

import (
	"bytes"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchunit"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	changed := nextRound(sample())
	changed.Identity[KeyRound] = "3"
	changed.Config = map[string]string{KeyGOOS: "linux", KeyKernel: "6.19.0", "zone": "b"}
	path := written(t, Plan{pointName: 2}, sample(), nextRound(sample()), changed)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	const golden = "testdata/golden.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))

	rec, err := Read(golden)
	require.NoError(t, err)
	assert.Equal(t, []Result{sample(), nextRound(sample()), changed}, bare(rec.Results))
	assert.Equal(t, golden, rec.Results[0].File)
	assert.Contains(t, strings.Split(string(got), "\n")[rec.Results[1].Line-1], "Benchmark"+pointName)
}

// What is read must be exactly what was measured: whole nanoseconds and bytes
// keep all their digits, fractions come back to the last bit.
func TestValuesAreExact(t *testing.T) {
	for _, amount := range []float64{1, 1023, 3_221_225_472, 999_999_999_999_999, 1 << 53, 0.1, 1.0 / 3, 1e-9, math.MaxFloat64} {
		r := vary(func(r *Result) { r.Values = []Value{{"call-p99-ns", amount}, {"list-bytes", amount}} })
		path := written(t, nil, r)
		rec, err := Read(path)
		require.NoError(t, err)
		assert.Equal(t, r.Values, rec.Results[0].Values)
		assert.NotContains(t, string(r.line()), "e+", "numbers are written out")
	}
}

func TestCreateKeepsWhatIsThere(t *testing.T) {
	path := written(t, nil, sample())
	_, err := Create(path, nil)
	require.ErrorIs(t, err, os.ErrExist)
	require.ErrorContains(t, err, "append to it")

	_, err = Create(filepath.Join(t.TempDir(), "missing", "r.txt"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)

	bad := filepath.Join(t.TempDir(), "r.txt")
	_, err = Create(bad, Plan{"no good": 1})
	require.ErrorContains(t, err, "no good")
	assert.NoFileExists(t, bad, "a record that could not begin leaves nothing")
}

func TestAppendContinues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.txt")
	for i, r := range []Result{sample(), nextRound(sample()), vary(func(r *Result) { delete(r.Config, KeyMemory); r.Identity[KeyRound] = "3" })} {
		w, held, err := Append(path, Plan{pointName: i + 1})
		require.NoError(t, err)
		assert.Len(t, held.Results, i)
		assert.Empty(t, held.Dropped)
		require.NoError(t, w.Write(r))
		require.NoError(t, w.Close())
	}
	rec, err := Read(path)
	require.NoError(t, err)
	require.Len(t, rec.Results, 3)
	assert.Equal(t, Plan{pointName: 3}, rec.Plan)
	assert.NotContains(t, rec.Results[2].Config, KeyMemory, "a setting that ended must not live on")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), "Unit idle-RSS-bytes"))
	assert.Equal(t, 1, strings.Count(string(text), "kernel: "), "unchanged configuration is not repeated")
}

func TestAppendRefuses(t *testing.T) {
	_, _, err := Append(t.TempDir(), nil)
	require.ErrorContains(t, err, "append to record")

	other := filepath.Join(t.TempDir(), "notes.txt")
	require.NoError(t, os.WriteFile(other, []byte("shopping\n"), 0o644))
	_, _, err = Append(other, nil)
	require.ErrorContains(t, err, "not a record of this suite")

	_, _, err = Append(written(t, nil, sample()), Plan{pointName: 0})
	require.ErrorContains(t, err, "planned for 0 rounds")
}

// Wherever a crash cuts the file, appending keeps every whole result and goes
// on as if the cut had not been.
func TestAppendAfterEveryCut(t *testing.T) {
	whole, err := os.ReadFile(written(t, Plan{pointName: 2}, sample(), nextRound(sample())))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cut.txt")
	for _, size := range cuts(whole) {
		require.NoError(t, os.WriteFile(path, whole[:size], 0o644))
		w, held, err := Append(path, Plan{pointName: 2})
		require.NoError(t, err, "cut at %d", size)
		for _, r := range []Result{sample(), nextRound(sample())}[len(held.Results):] {
			require.NoError(t, w.Write(r))
		}
		require.NoError(t, w.Close())
		healed, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(whole), string(healed), "cut at %d", size)
	}
}

// cuts are the sizes to cut text to: around the end of every line behind the
// head, which is long and all alike, and here and there.
func cuts(text []byte) []int {
	sizes := []int{0, 1, len(head()) / 2}
	for size := len(head()) - 2; size <= len(text); size++ {
		if size%97 == 0 || bytes.IndexByte(text[size-1:min(size+1, len(text))], '\n') >= 0 {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

func TestReadReportsWhatWasCut(t *testing.T) {
	whole, err := os.ReadFile(written(t, nil, sample(), nextRound(sample())))
	require.NoError(t, err)
	rec, err := Parse(strings.NewReader(string(whole[:len(whole)-10])), "r.txt")
	require.NoError(t, err)
	assert.Len(t, rec.Results, 1)
	require.Len(t, rec.Dropped, 2)
	assert.Contains(t, rec.Dropped[0], "the last line is cut short")
	assert.Contains(t, rec.Dropped[1], "5 comment lines with no result after them")
}

func TestDiskFull(t *testing.T) {
	f := &memFile{room: math.MaxInt}
	w := newWriter("r.txt", f)
	require.NoError(t, w.begin(&Record{}, nil, 0))
	require.NoError(t, w.Write(sample()))
	f.room = len(f.data) + 40
	err := w.Write(nextRound(sample()))
	require.ErrorIs(t, err, errFull)
	require.ErrorContains(t, err, "it keeps the 1 results written before")

	rec, err := Parse(strings.NewReader(string(f.data)), "r.txt")
	require.NoError(t, err)
	assert.Len(t, rec.Results, 1)
	assert.Empty(t, rec.Dropped, "the half that was written was taken back")

	f.room = math.MaxInt
	require.ErrorIs(t, w.Write(sample()), errFull, "a writer that failed stays failed")
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Close(), os.ErrClosed)
}

func TestUnsyncedIsNotWritten(t *testing.T) {
	f := &memFile{room: math.MaxInt}
	w := newWriter("r.txt", f)
	require.NoError(t, w.begin(&Record{}, nil, 0))
	before := len(f.data)
	f.syncErr = errFull
	require.ErrorIs(t, w.Write(sample()), errFull)
	assert.Len(t, f.data, before)
}

// If even the half that was written cannot be taken back, both faults are told,
// and a reader drops the half.
func TestHalfThatStays(t *testing.T) {
	f := &memFile{room: math.MaxInt}
	w := newWriter("r.txt", f)
	require.NoError(t, w.begin(&Record{}, nil, 0))
	require.NoError(t, w.Write(sample()))
	f.room, f.cutErr = len(f.data)+40, os.ErrPermission
	err := w.Write(nextRound(sample()))
	require.ErrorIs(t, err, errFull)
	require.ErrorIs(t, err, os.ErrPermission)
	rec, err := Parse(strings.NewReader(string(f.data)), "r.txt")
	require.NoError(t, err)
	assert.Len(t, rec.Results, 1)
	assert.NotEmpty(t, rec.Dropped)

	require.ErrorIs(t, newWriter("r.txt", f).begin(&Record{}, nil, 0), os.ErrPermission)
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "page.md")
	require.NoError(t, WriteFile(path, []byte("one")))
	require.NoError(t, WriteFile(path, []byte("two")))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "two", string(got))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file is left")

	require.Error(t, WriteFile(filepath.Join(path, "below-a-file"), nil))
	folder := filepath.Join(filepath.Dir(path), "taken")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "x"), 0o755))
	require.Error(t, WriteFile(folder, nil))
	entries, err = os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 2)
}

// benchstat must put two records of one host into one table a unit, although
// everything that may differ between comparable runs differs, and into two
// where the hosts differ.
func TestBenchstatComparesAsIs(t *testing.T) {
	older, newer := sample(), nextRound(sample())
	newer.Identity[KeySHA256], newer.Identity[KeyBuild] = "bb22", "0.2.0"
	newer.Values = append([]Value{{"idle-RSS-bytes", 12_582_912}}, newer.Values[1:]...)
	out := benchstat(t, written(t, nil, older), written(t, nil, newer))
	assert.Equal(t, len(older.Values), strings.Count(out, "vs base"), out)
	assert.Equal(t, 1, strings.Count(out, "goos: linux"), out)
	assert.Contains(t, out, "17.50Mi")
	assert.Contains(t, out, "call-p99-sec")
	assert.NotContains(t, out, "Unit")

	newer.Config = map[string]string{KeyGOOS: "linux", KeyKernel: "7.0"}
	out = benchstat(t, written(t, nil, older), written(t, nil, newer))
	assert.Equal(t, 2, strings.Count(out, "kernel: "), out)
}

// Every metric of the table must have a table of its own in benchstat.
func TestBenchstatKeepsMetricsApart(t *testing.T) {
	r := sample()
	r.Values, r.Absent = nil, nil
	for i, m := range Metrics() {
		r.Values = append(r.Values, Value{m.Unit, float64(1_000_000 + i)})
	}
	out := benchstat(t, written(t, nil, r), written(t, nil, nextRound(r)))
	assert.Equal(t, len(Metrics()), strings.Count(out, "vs base"))
	for _, m := range Metrics() {
		_, tidied := benchunit.Tidy(1, m.Unit)
		assert.Contains(t, out, tidied)
	}
}

func benchstat(t *testing.T, paths ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"tool", "benchstat"}, paths...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

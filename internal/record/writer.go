package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"
)

// file is what a Writer needs of *os.File; a test fills the disk behind it.
type file interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
	Seek(offset int64, whence int) (int64, error)
	Close() error
}

// A Writer adds results to one file. Each is on disk before Write returns, so
// that whatever happens later costs at most the result not yet written. It is
// for one goroutine, and for one process at a time.
type Writer struct {
	path string
	file file
	size int64 // of what is whole and on disk
	held int   // results in the file
	err  error // what a write failed with; none follows it

	text  bytes.Buffer // what bench writes to
	bench *benchfmt.Writer
}

// Create begins a new record at path, which must not exist: a record took
// time to measure and is not written over.
func Create(path string, plan Plan) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("create record: %w: append to it, remove it or choose another name", err)
	}
	if err != nil {
		return nil, fmt.Errorf("create record: %w", err)
	}
	w := newWriter(path, f)
	err = w.begin(&Record{}, plan, 0)
	if err == nil {
		err = syncDir(path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return w, nil
}

// Append continues the record at path, or begins it. What was cut short at the
// file's end is removed from it and named in the returned record's Dropped.
// That record is what the file holds already.
func Append(path string, plan Plan) (*Writer, *Record, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		w, err := Create(path, plan)
		return w, &Record{}, err
	}
	if err != nil {
		return nil, nil, fmt.Errorf("append to record: %w", err)
	}
	held, end, err := parseWhole(data, path)
	if err != nil {
		return nil, nil, fmt.Errorf("append to record: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("append to record: %w", err)
	}
	w := newWriter(path, f)
	if err := w.begin(held, plan, end); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return w, held, nil
}

// parseWhole returns what the file holds up to the end of its last result, and
// where that is. All that follows goes when the file is appended to, so it must
// not count as said. A head without a result is worth nothing.
func parseWhole(data []byte, path string) (*Record, int64, error) {
	if len(data) < len(head()) && bytes.HasPrefix(head(), data) {
		return &Record{Dropped: []string{path + ": the head is cut short, no result was written"}}, 0, nil
	}
	held, end, err := parse(data, path)
	if err != nil || end == int64(len(data)) {
		return held, end, err
	}
	whole := &Record{}
	if end > 0 {
		whole, _, err = parse(data[:end], path)
	}
	whole.Dropped = held.Dropped
	return whole, end, err
}

func newWriter(path string, f file) *Writer {
	w := &Writer{path: path, file: f}
	w.bench = benchfmt.NewWriter(&w.text)
	return w
}

// begin cuts the file to its whole part, of the given size, and writes what the
// head needs beyond what held declares.
func (w *Writer) begin(held *Record, plan Plan, size int64) error {
	if err := checkPlan(plan); err != nil {
		return err
	}
	w.held = len(held.Results)
	w.size = size
	if err := w.cut(); err != nil {
		return fmt.Errorf("record %s: %w", w.path, err)
	}
	text := head()
	if w.held > 0 {
		text = unitLines(undeclared(held.units))
		// The format's own writer has to know which configuration holds.
		if err := w.bench.Write(held.Results[w.held-1].bench()); err != nil {
			return fmt.Errorf("record %s: %w", w.path, err)
		}
		w.text.Reset()
	}
	return w.commit(append(text, planLines(plan, held.Plan)...))
}

// Write validates the result and puts it on disk. An error names what the file
// still holds, which stays readable.
func (w *Writer) Write(r Result) error {
	if w.err != nil {
		return w.err
	}
	if err := r.Validate(); err != nil {
		return fmt.Errorf("record %s: %w", w.path, err)
	}
	text, err := w.format(r)
	if err != nil {
		return fmt.Errorf("record %s: %w", w.path, err)
	}
	if err := w.commit(text); err != nil {
		return err
	}
	w.held++
	return nil
}

// Err returns what a write failed with, after which the file takes no further
// result, or nil.
func (w *Writer) Err() error { return w.err }

// format returns the result's lines: configuration where it changed, comments,
// and the benchmark line, which is made here because the format's own writer
// puts large whole numbers as powers of ten.
func (w *Writer) format(r Result) ([]byte, error) {
	w.text.Reset()
	if err := w.bench.Write(r.bench()); err != nil {
		return nil, err
	}
	text := w.text.Bytes()
	line := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	config := text[:line]
	if len(config) == 0 {
		config = []byte("\n")
	}
	return bytes.Join([][]byte{config, r.comments(), r.line()}, nil), nil
}

// commit appends text in one piece and waits for the disk. What could not be
// written whole is taken back.
func (w *Writer) commit(text []byte) error {
	_, err := w.file.Write(text)
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.err = fmt.Errorf("record %s: %w; it keeps the %d results written before this one",
			w.path, errors.Join(err, w.cut()), w.held)
		return w.err
	}
	w.size += int64(len(text))
	return nil
}

// cut ends the file after what is whole.
func (w *Writer) cut() error {
	if err := w.file.Truncate(w.size); err != nil {
		return err
	}
	_, err := w.file.Seek(w.size, io.SeekStart)
	return err
}

// Close closes the file. Everything written is on disk already.
func (w *Writer) Close() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("close record: %w", err)
	}
	return nil
}

// syncDir makes a new or renamed file's name survive a crash too.
func syncDir(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}

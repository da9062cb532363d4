package meter

import (
	"bufio"
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// parseMemStats reads the account that ends a heap profile in text form, a line "# Name = number" for each
// field of runtime.MemStats (runtime/pprof, writeHeapInternal). Pairs "a / b" are in use and obtained.
func parseMemStats(text []byte) (HeapReading, error) {
	_, trailer, ok := bytes.Cut(text, []byte("# runtime.MemStats\n"))
	if !ok {
		return HeapReading{}, errors.New("the heap profile does not end with runtime.MemStats")
	}
	used, obtained := make(map[string]int64), make(map[string]int64)
	lines := bufio.NewScanner(bytes.NewReader(trailer))
	lines.Buffer(nil, 1<<20) // the pauses are one long line
	for lines.Scan() {
		name, value, ok := strings.Cut(strings.TrimPrefix(lines.Text(), "# "), " = ")
		if !ok {
			continue
		}
		first, second, _ := strings.Cut(value, " / ")
		keep(used, name, first)
		keep(obtained, name, second)
	}
	return heapReading(used, obtained), lines.Err()
}

// keep passes over values that are not whole numbers, such as lists and shares.
func keep(values map[string]int64, name, text string) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		values[name] = n
	}
}

func heapReading(used, obtained map[string]int64) HeapReading {
	overhead := new(int64)
	overhead = add(overhead, optional(obtained, "MSpan"))
	overhead = add(overhead, optional(obtained, "MCache"))
	overhead = add(overhead, optional(used, "BuckHashSys"))
	overhead = add(overhead, optional(used, "GCSys"))
	overhead = add(overhead, optional(used, "OtherSys"))
	return HeapReading{
		Live:     optional(used, "HeapAlloc"),
		InUse:    optional(used, "HeapInuse"),
		Idle:     optional(used, "HeapIdle"),
		Released: optional(used, "HeapReleased"),
		Stacks:   optional(used, "Stack"),
		Runtime:  overhead,
		Sys:      optional(used, "Sys"),
		Goal:     optional(used, "NextGC"),

		Allocated:   optional(used, "TotalAlloc"),
		Allocations: optional(used, "Mallocs"),
		Collections: optional(used, "NumGC"),
	}
}

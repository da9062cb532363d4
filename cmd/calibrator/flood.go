package main

import (
	"bytes"
	"io"
)

// floodLine is what stderr is flooded with.
const floodLine = "calibrator: a line of a flood, which says nothing and is as long as lines of logs often are.\n"

// flood writes n bytes of lines to w. A stream that is not read makes it wait, as it would any program.
func flood(w io.Writer, n int64) {
	lines := bytes.Repeat([]byte(floodLine), 64)
	for n > 0 {
		piece := lines[:min(n, int64(len(lines)))]
		if _, err := w.Write(piece); err != nil {
			return
		}
		n -= int64(len(piece))
	}
}

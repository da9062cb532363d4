package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

const about = `calibrator: a server of the Model Context Protocol whose cost is known exactly.

It serves stdio, or with -http streamable HTTP, in the revision ` + stateless + ` and in those before it, which
have sessions. Without flags it does next to nothing; each flag adds an amount, and says which.
`

// writeHelp writes what there is to know.
func writeHelp(w io.Writer) {
	_, _ = io.WriteString(w, about)
	for _, g := range groups() {
		_, _ = fmt.Fprintf(w, "\n%s\n", g.title)
		f := flag.NewFlagSet("", flag.ContinueOnError)
		f.SetOutput(w)
		g.define(new(config), f)
		f.PrintDefaults()
	}
}

// faultHelp lists the faults.
func faultHelp() string {
	var b strings.Builder
	for _, f := range knownFaults() {
		promise := f.promise
		if f.on != "" {
			promise += " (" + f.on + " only)"
		}
		if !f.counted {
			promise += " (takes no FROM)"
		}
		_, _ = fmt.Fprintf(&b, "  %-15s  %s\n", f.name, strings.ReplaceAll(promise, "\n", "\n"+strings.Repeat(" ", 19)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

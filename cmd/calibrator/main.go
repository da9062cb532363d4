// Command calibrator is a small server of the Model Context Protocol whose cost is set by flags and known
// exactly: the bytes it retains, the processor time it burns, the time it takes, the size of what it says,
// and the ways in which it fails. What measures servers is tried on it.
//
// It promises amounts and not a product: it has no GitLab tools, remembers nothing between runs, and shares no
// code with what measures it or with any server that is measured, so that none can hide the other's mistake.
// calibrator -help says of each flag what exactly is promised.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})) }

package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes as a flag: 10240, 10KiB, 200MiB.
type size int64

// units that a size may be written in, the largest first.
var units = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// Set implements flag.Value.
func (s *size) Set(text string) error {
	digits, unit := text, int64(1)
	for _, u := range units {
		if before, ok := strings.CutSuffix(text, u.suffix); ok {
			digits, unit = before, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q: use a whole number of bytes, KiB, MiB or GiB, such as 10KiB", text)
	}
	*s = size(n * unit)
	return nil
}

// String implements flag.Value.
func (s *size) String() string {
	for _, u := range units {
		if n := int64(*s); n >= u.bytes && n%u.bytes == 0 && u.bytes > 1 {
			return strconv.FormatInt(n/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

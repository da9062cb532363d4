package meter

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// parseKB reads the "Name:   123 kB" lines of a /proc file into bytes by name and passes over all others.
// The kernel's kB is 1024 bytes.
func parseKB(text []byte) (map[string]int64, error) {
	sizes := make(map[string]int64)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		name, rest, ok := strings.Cut(lines.Text(), ":")
		value, isSize := strings.CutSuffix(rest, " kB")
		if !ok || !isSize {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("malformed /proc line %q: %w", lines.Text(), err)
		}
		sizes[name] = n << 10
	}
	return sizes, lines.Err()
}

// optional returns the value of name, or nil where the kernel does not report it.
func optional(sizes map[string]int64, name string) *int64 {
	if n, ok := sizes[name]; ok {
		return &n
	}
	return nil
}

// required returns the values of names, all of which every supported kernel reports.
func required(sizes map[string]int64, names ...string) ([]int64, error) {
	values := make([]int64, len(names))
	for i, name := range names {
		n, ok := sizes[name]
		if !ok {
			return nil, fmt.Errorf("the kernel does not report %s", name)
		}
		values[i] = n
	}
	return values, nil
}

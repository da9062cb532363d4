package main

import (
	"bytes"
	"fmt"
	"strings"
)

// toolName is the tool that can be called. All others of a listing only take up room in it.
const toolName = "calibrate"

// schema is the input of the tool: a path of GitLab's REST interface, and a text to be sent back.
const schema = `{"type":"object","properties":{"path":{"type":"string"},"echo":{"type":"string"}}}`

// tool is an entry of a listing, of which the description can be of any length.
type tool struct{ before, after string }

// newTool returns the entry of the nth tool, the first being 0.
func newTool(n int) tool {
	name := toolName
	if n > 0 {
		name = fmt.Sprintf("room-%05d", n)
	}
	return tool{`{"name":"` + name + `","description":"`, `","inputSchema":` + schema + `}`}
}

// The parts of a listing before and after its tools. A listing is to be asked for each time: it must not be
// kept by a client.
const (
	listingBefore = `,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[`
	listingAfter  = `]}}`
)

// smallestListing is the size of a listing whose descriptions are empty.
func smallestListing(tools int) int64 {
	n := len(opening) + len(listingBefore) + len(listingAfter) + tools - 1
	for i := range tools {
		t := newTool(i)
		n += len(t.before) + len(t.after)
	}
	return int64(n)
}

// listing returns the part that follows the id in a reply to tools/list. The reply's size, without the digits of
// its id, is exactly size; 0 stands for the smallest there is.
func listing(tools int, size int64) ([]byte, error) {
	smallest := smallestListing(tools)
	if size == 0 {
		size = smallest
	}
	if size < smallest {
		return nil, fmt.Errorf("a listing of %d tools takes at least %d bytes, not %d", tools, smallest, size)
	}
	var b bytes.Buffer
	b.Grow(int(size) - len(opening))
	b.WriteString(listingBefore)
	room, left := int(size-smallest)/tools, int(size-smallest)%tools
	for i := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		t := newTool(i)
		b.WriteString(t.before)
		b.WriteString(strings.Repeat("x", room))
		if i < left {
			b.WriteByte('x')
		}
		b.WriteString(t.after)
	}
	b.WriteString(listingAfter)
	return b.Bytes(), nil
}

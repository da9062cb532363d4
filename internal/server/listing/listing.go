// Package listing answers tools/list from bytes that are made once.
//
// A list of all tools is some megabytes of JSON that never changes while the process lives. Encoding it
// anew for every request is most of what such a server would do with its CPU, so the result is encoded
// once and a reply is those bytes between a few that belong to the request.
//
// It refuses to guess: a request that it cannot read to the last field is left to the protocol library.
package listing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Listing is the encoded result of tools/list. It is immutable and safe for concurrent use.
type Listing struct {
	tools  []byte // `[{...},...]`, sorted by name as the protocol library sorts them
	legacy []byte // what a result opens with up to 2025-11-25, as far as `"tools":`
	modern []byte // the same from 2026-07-28 on
	count  int
}

// New encodes tools. The result says that impl made it and that a client may keep it as cache says.
func New(tools []*mcp.Tool, impl *mcp.Implementation, cache mcp.Cacheable) (*Listing, error) {
	encoded, err := encodeTools(tools)
	if err != nil {
		return nil, err
	}
	server, err := json.Marshal(impl)
	if err != nil {
		return nil, fmt.Errorf("encode the server's name: %w", err)
	}
	keep := fmt.Appendf(nil, `"ttlMs":%d,"cacheScope":%q,"tools":`, cache.TTLMs, cache.CacheScope)
	return &Listing{
		tools:  encoded,
		legacy: fmt.Appendf(nil, `{%s`, keep),
		modern: fmt.Appendf(nil, `{"resultType":"complete","_meta":{%q:%s},%s`, mcp.MetaKeyServerInfo, server, keep),
		count:  len(tools),
	}, nil
}

// encodeTools encodes one tool at a time and returns a slice without spare room: it is held for long.
func encodeTools(tools []*mcp.Tool) ([]byte, error) {
	sorted := slices.SortedFunc(slices.Values(tools), func(a, b *mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	buf.WriteByte('[')
	for i, tool := range sorted {
		if i > 0 {
			buf.WriteByte(',')
		}
		if err := enc.Encode(tool); err != nil {
			return nil, fmt.Errorf("encode tool %s: %w", tool.Name, err)
		}
		buf.Truncate(buf.Len() - 1) // the encoder ends each value with a newline
	}
	buf.WriteByte(']')
	return bytes.Clone(buf.Bytes()), nil
}

// Tools is the number of tools listed.
func (l *Listing) Tools() int { return l.count }

// Bytes is the size of the encoded tools.
func (l *Listing) Bytes() int { return len(l.tools) }

// Result decodes the listing for the rare request that the protocol library must answer itself.
func (l *Listing) Result() (*mcp.ListToolsResult, error) {
	result := &mcp.ListToolsResult{}
	if err := json.Unmarshal(l.tools, &result.Tools); err != nil {
		return nil, fmt.Errorf("decode the tool listing: %w", err)
	}
	return result, nil
}

// A Reply is the answer to one request, not yet written.
type Reply struct{ parts [4][]byte }

// Reply answers req.
func (l *Listing) Reply(req *Request) Reply {
	opening := l.legacy
	if req.Modern {
		opening = l.modern
	}
	id := req.encodedID()
	head := make([]byte, 0, len(replyOpen)+len(id)+len(replyResult)+len(opening))
	head = append(head, replyOpen...)
	head = append(head, id...)
	head = append(head, replyResult...)
	head = append(head, opening...)
	return Reply{[4][]byte{head, l.tools, []byte("}}"), nil}}
}

const (
	replyOpen   = `{"jsonrpc":"2.0","id":`
	replyResult = `,"result":`
)

// Line makes the reply end with a newline, which is what divides messages on stdio.
func (r Reply) Line() Reply {
	r.parts[3] = []byte("\n")
	return r
}

// Len is the number of bytes that WriteTo writes.
func (r Reply) Len() int {
	n := 0
	for _, p := range r.parts {
		n += len(p)
	}
	return n
}

// WriteTo writes the reply. The shared bytes are written as they are, never copied.
func (r Reply) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for _, p := range r.parts {
		if len(p) == 0 {
			continue
		}
		n, err := w.Write(p)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

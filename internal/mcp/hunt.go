package mcp

// needle is a string to be found in a text that streams past, with the table
// of Knuth, Morris and Pratt: fail[i] is the length of the longest proper
// prefix of text[:i+1] that is also its suffix.
type needle struct {
	text string
	fail []int
}

func newNeedle(text string) needle {
	fail := make([]int, len(text))
	for i, k := 1, 0; i < len(text); i++ {
		for k > 0 && text[i] != text[k] {
			k = fail[k-1]
		}
		if text[i] == text[k] {
			k++
		}
		fail[i] = k
	}
	return needle{text: text, fail: fail}
}

// hunt is the search for several needles in one text.
type hunt struct {
	needles []needle
	matched []int // bytes of each needle matched so far; all of them when found
}

func (h *hunt) reset(needles []needle) {
	h.needles = needles
	h.restart()
}

// restart forgets what was found.
func (h *hunt) restart() {
	h.matched = h.matched[:0]
	for range h.needles {
		h.matched = append(h.matched, 0)
	}
}

// any reports whether there is anything to look for.
func (h *hunt) any() bool { return len(h.needles) > 0 }

// see moves every search on by one byte.
func (h *hunt) see(c byte) {
	for i := range h.needles {
		n, k := &h.needles[i], h.matched[i]
		if k == len(n.text) {
			continue
		}
		for k > 0 && n.text[k] != c {
			k = n.fail[k-1]
		}
		if n.text[k] == c {
			k++
		}
		h.matched[i] = k
	}
}

// missing is the first needle that was not found.
func (h *hunt) missing() (string, bool) {
	for i, n := range h.needles {
		if h.matched[i] < len(n.text) {
			return n.text, true
		}
	}
	return "", false
}

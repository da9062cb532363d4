package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNoMemoryOnAClientsWord has bodies announced that do not come: memory for them is not asked for before they do.
func TestNoMemoryOnAClientsWord(t *testing.T) {
	const bodies = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range bodies {
		r := httptest.NewRequest(http.MethodPost, "/mcp", io.MultiReader(strings.NewReader("{"), failing{}))
		r.ContentLength = maxBody
		_, status := readBody(httptest.NewRecorder(), r)
		assert.Equal(t, http.StatusBadRequest, status)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/bodies, uint64(4*maxUnseen), "and not %d", maxBody)
}

// failing is a body that ends too early.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

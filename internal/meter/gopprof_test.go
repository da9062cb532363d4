package meter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGoPprofOnARealProcess(t *testing.T) {
	t.Parallel()
	h := GoPprof(startChild(t).tell("pprof"))
	before, err := h.Live(t.Context())
	require.NoError(t, err)
	require.NoError(t, h.Collect(t.Context()))
	after, err := h.Live(t.Context())
	require.NoError(t, err)
	assert.Equal(t, int64(1), *after.Collections-*before.Collections)
	collected, err := h.Collected(t.Context())
	require.NoError(t, err)
	assert.Equal(t, int64(1), *collected.Collections-*after.Collections)
	assert.Less(t, *collected.Live, *after.Live, "the garbage of a profile's text is not in it")
	for name, part := range map[string]*int64{
		"in use": after.InUse, "idle": after.Idle, "released": after.Released,
		"stacks": after.Stacks, "runtime": after.Runtime, "sys": after.Sys, "allocated": after.Allocated,
	} {
		assert.NotNil(t, part, name)
	}
	gzipped := []byte{0x1f, 0x8b}
	var profile bytes.Buffer
	require.NoError(t, h.HeapProfile(t.Context(), &profile))
	assert.True(t, bytes.HasPrefix(profile.Bytes(), gzipped))
	profile.Reset()
	require.NoError(t, h.CPUProfile(t.Context(), time.Millisecond, &profile))
	assert.True(t, bytes.HasPrefix(profile.Bytes(), gzipped))
}

// brokenWriter is a full disk.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestGoPprofFails(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) Heap {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, body)
		}))
		t.Cleanup(s.Close)
		return GoPprof(strings.TrimPrefix(s.URL, "http://"))
	}
	refused := answer(http.StatusForbidden, "no")
	require.ErrorContains(t, refused.Collect(t.Context()), "403 Forbidden")
	_, err := refused.Live(t.Context())
	require.Error(t, err)
	_, err = refused.Goroutines(t.Context())
	require.Error(t, err)

	other := answer(http.StatusOK, "hello\nworld")
	_, err = other.Live(t.Context())
	require.ErrorContains(t, err, "runtime.MemStats")
	_, err = other.Goroutines(t.Context())
	require.ErrorContains(t, err, `begins with "hello"`)
	require.ErrorContains(t, other.HeapProfile(t.Context(), brokenWriter{}), "disk full")

	require.Error(t, GoPprof("127.0.0.1:1").Collect(t.Context()))
	require.Error(t, GoPprof("::not an address").CPUProfile(t.Context(), time.Second, io.Discard))
}

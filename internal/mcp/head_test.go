package mcp

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		value string
		told  bool
		want  time.Duration
	}{
		{"0", true, 0},
		{"1", true, time.Second},
		{"120", true, 2 * time.Minute},
		{now.Add(time.Hour).Format(http.TimeFormat), true, time.Hour},
		{now.Add(-time.Hour).Format(http.TimeFormat), true, 0},
		{"", false, 0},
		{"-1", false, 0},
		{"1.5", false, 0},
		{"soon", false, 0},
		{"99999999999", false, 0},
	} {
		var h head
		h.setRetryAfter([]byte(tt.value), now)
		assert.Equal(t, tt.told, h.told, "%q", tt.value)
		assert.Equal(t, tt.want, h.retryAfter, "%q", tt.value)
	}
}

func TestReplyTellsWhenToComeBack(t *testing.T) {
	req := newRequest(t, Spec{})
	told := exchanged(req, "HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n", 7)
	assert.Equal(t, Refused, told.Outcome)
	assert.True(t, told.Told)
	assert.Equal(t, 2*time.Second, told.RetryAfter)
	untold := exchanged(req, "HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n", 7)
	assert.Equal(t, Refused, untold.Outcome)
	assert.False(t, untold.Told)
}

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64
		said string
	}{
		{"0", 0, "0"}, {"1000", 1000, "1000"}, {"7B", 7, "7"}, {"10KiB", 10240, "10KiB"},
		{"1024KiB", 1 << 20, "1MiB"}, {"200MiB", 200 << 20, "200MiB"}, {"2GiB", 2 << 30, "2GiB"},
	} {
		var s size
		require.NoError(t, s.Set(tt.text), tt.text)
		assert.EqualValues(t, tt.want, s, tt.text)
		assert.Equal(t, tt.said, s.String())
	}
	for _, text := range []string{"", "-1", "1.5MiB", "10kB", "KiB", "9999999999GiB"} {
		var s size
		require.ErrorContains(t, s.Set(text), "such as 10KiB", text)
	}
}

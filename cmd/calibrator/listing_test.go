package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listed is what a client sees of a listing.
type listed struct {
	ID     int `json:"id"`
	Result struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
		TTL        *int   `json:"ttlMs"`
		CacheScope string `json:"cacheScope"`
		ResultType string `json:"resultType"`
	} `json:"result"`
}

// checkListing holds a listing to the number of its tools and to its size without the digits of its id.
func checkListing(t *testing.T, text string, id, tools, size int) {
	t.Helper()
	assert.Len(t, text, size+len(strconv.Itoa(id)))
	var l listed
	require.NoError(t, json.Unmarshal([]byte(text), &l))
	assert.Equal(t, id, l.ID)
	assert.Equal(t, "complete", l.Result.ResultType)
	require.NotNil(t, l.Result.TTL)
	assert.Zero(t, *l.Result.TTL)
	require.Len(t, l.Result.Tools, tools)
	assert.Equal(t, toolName, l.Result.Tools[0].Name)
	names := make(map[string]bool)
	for _, one := range l.Result.Tools {
		names[one.Name] = true
		assert.JSONEq(t, schema, string(one.InputSchema))
		assert.InDelta(t, len(l.Result.Tools[0].Description), len(one.Description), 1, "all take up the same room")
	}
	assert.Len(t, names, tools, "names differ")
}

func TestListingIsExact(t *testing.T) {
	for _, tt := range []struct{ tools, size int }{
		{1, 0}, {1, 1000}, {10, 4000}, {10, 4001}, {7, 12345}, {1000, 3000000}, {1230, 2738930},
	} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			args := []string{fmt.Sprint("-tools=", tt.tools), fmt.Sprint("-listing-bytes=", tt.size)}
			want := tt.size
			if want == 0 {
				want = int(smallestListing(tt.tools))
			}
			_, addr := newTestHTTP(t, args...)
			checkListing(t, post(t, addr, message(7, "tools/list", "")).body, 7, tt.tools, want)
			checkListing(t, post(t, addr, message(123456789, "tools/list", "")).body, 123456789, tt.tools, want)

			p := start(t, args...)
			p.say(t, message(99, "tools/list", ""))
			checkListing(t, p.hear(t), 99, tt.tools, want)
		})
	}
}

func TestListingRefuses(t *testing.T) {
	least := smallestListing(10)
	_, err := listing(10, least-1)
	require.ErrorContains(t, err, fmt.Sprint(least))
	tail, err := listing(10, least)
	require.NoError(t, err)
	assert.Len(t, tail, int(least)-len(opening))
	_, err = parse([]string{"-tools=10", "-listing-bytes=100"})
	require.ErrorContains(t, err, fmt.Sprint(least))
}

package chart

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With the colours of a theme put in, the picture of a page is the theme's own.
func TestOnePictureForBothThemes(t *testing.T) {
	for _, c := range samples() {
		inline, err := c.Inline()
		require.NoError(t, err)
		assert.NotRegexp(t, `(fill|stroke):#`, string(inline))
		for _, theme := range themes {
			want, err := c.SVG(theme)
			require.NoError(t, err)
			got := string(inline)
			for n, colour := range theme.palette().colours() {
				got = strings.ReplaceAll(got, "var("+property(n)+")", hex(colour))
			}
			got = regexp.MustCompile(`-light-(title|desc)`).ReplaceAllString(got, "-"+theme.String()+"-$1")
			assert.Equal(t, string(want), got, "%s, %s", c.Name, theme)
		}
	}
	_, err := (&Chart{Name: "bad name"}).Inline()
	require.Error(t, err)
}

func TestStyleHasEveryColourOfBothThemes(t *testing.T) {
	style := Style()
	for _, theme := range themes {
		for n, colour := range theme.palette().colours() {
			assert.Contains(t, style, hex(colour))
			assert.Contains(t, style, property(n)+": light-dark(")
		}
	}
}

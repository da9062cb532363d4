package stat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every order of a few values, counted by hand, in groups of every shape.
func TestDiscordantCountsOrders(t *testing.T) {
	for _, sizes := range [][]int{
		{1}, {3}, {1, 1}, {1, 1, 1, 1, 1}, {2, 2, 1}, {1, 2, 3}, {3, 3}, {2, 2, 2}, {1, 4, 1, 1},
	} {
		var group []int
		for g, n := range sizes {
			for range n {
				group = append(group, g)
			}
		}
		counts, orders := map[int]int{}, 0
		permute(make([]int, len(group)), 0, func(order []int) {
			orders++
			counts[inversions(group, order)]++
		})
		got := discordant(sizes)
		require.Len(t, got, len(counts), "sizes %v", sizes)
		for d, p := range got {
			require.InDelta(t, float64(counts[d])/float64(orders), p, 1e-14, "sizes %v, %d discordant", sizes, d)
		}
	}
}

// The published tables of Kendall's tau give the least |S| whose probability is
// at most 0.025 a side; (pairs-|S|)/2 is the number of discordant pairs there.
func TestTauRankFollowsTheTables(t *testing.T) {
	for _, tc := range []struct{ n, s int }{{5, 10}, {6, 13}, {7, 15}, {8, 18}, {9, 20}, {10, 23}, {12, 30}, {20, 62}} {
		sizes := make([]int, tc.n)
		for i := range sizes {
			sizes[i] = 1
		}
		pairs := tc.n * (tc.n - 1) / 2
		assert.Equal(t, (pairs-tc.s)/2+1, tauRank(sizes, 0.025), "n=%d", tc.n)
	}
	assert.Zero(t, tauRank([]int{1, 1, 1, 1}, 0.025), "four in order are chance once in 24")
}

// Probabilities stay probabilities at the size of a record with many rounds.
func TestDiscordantStaysExact(t *testing.T) {
	sizes := make([]int, 13)
	for i := range sizes {
		sizes[i] = 12
	}
	p := discordant(sizes)
	sum := 0.0
	for d := range p {
		sum += p[d]
		require.InDelta(t, p[len(p)-1-d], p[d], 1e-12, "symmetric at %d", d)
		require.Greater(t, p[d], -1e-15)
	}
	assert.InDelta(t, 1, sum, 1e-9)
}

// permute calls visit with every order of 0, 1, … len(order)-1.
func permute(order []int, used int, visit func([]int)) {
	n := 0
	for u := used; u > 0; u &= u - 1 {
		n++
	}
	if n == len(order) {
		visit(order)
		return
	}
	for v := range order {
		if used&(1<<v) == 0 {
			order[n] = v
			permute(order, used|1<<v, visit)
		}
	}
}

// inversions counts the pairs of different groups whose values fall.
func inversions(group, order []int) int {
	n := 0
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			if group[i] != group[j] && order[j] < order[i] {
				n++
			}
		}
	}
	return n
}

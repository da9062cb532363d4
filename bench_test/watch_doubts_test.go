package bench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"mcpbench/internal/spawn"
)

func TestCertify(t *testing.T) {
	apart := spawn.Split{Suite: []int{0}, Subject: []int{1}}
	second := func(s spending) *loadTotal { return &loadTotal{wall: time.Second, spent: s} }
	for _, tt := range []struct {
		name string
		cpus spawn.Split
		load *loadTotal
		want []string
	}{
		{"quiet", apart, second(spending{cpu: time.Second, suite: 500 * time.Millisecond, host: 1600 * time.Millisecond}), nil},
		{"one CPU", spawn.Split{Suite: []int{0}, Subject: []int{0}, Sharing: spawn.SameCPU}, second(spending{}), []string{"suite and subject share CPU [0]"}},
		{"suite at its limit", apart, second(spending{suite: 950 * time.Millisecond}), []string{"the suite used 95% of its own CPUs: latencies are partly its own"}},
		{"two CPUs for the suite", spawn.Split{Suite: []int{0, 1}}, second(spending{suite: 950 * time.Millisecond}), nil},
		{"steal", apart, second(spending{steal: 150 * time.Millisecond}), []string{"the hypervisor withheld 10% of a CPU"}},
		{"steal within the ticks", apart, second(spending{steal: tickError}), nil},
		{"others", apart, second(spending{cpu: time.Second, suite: 100 * time.Millisecond, host: 1400 * time.Millisecond}), []string{"other processes used 25% of a CPU"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s sheet
			certify(&s, tt.load, tt.cpus)
			assert.Equal(t, tt.want, s.result.Certificate)
		})
	}
}

func TestCertifyAPart(t *testing.T) {
	var s sheet
	busy := &loadTotal{wall: time.Second, spent: spending{suite: 950 * time.Millisecond, host: 1300 * time.Millisecond}}
	certifySuite(&s, " then", busy, spawn.Split{Suite: []int{0}})
	certifyHost(&s, " then", busy)
	assert.Equal(t, []string{
		"the suite used 95% of its own CPUs then: latencies are partly its own", "other processes used 30% of a CPU then",
	}, s.result.Certificate)
}

func TestCountedReasons(t *testing.T) {
	assert.Equal(t, "3 × status 500; 1 × a; 1 × b", countedReasons(map[string]int64{"b": 1, "status 500": 3, "a": 1}))
}

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

const (
	// drawn is how many draws a distribution is cut into: enough for ten beyond its 99th percentile.
	drawn = 1000
	// stride is how many strata on the next draw is. About the golden ratio of them spreads every stretch of draws
	// evenly (Knuth, The Art of Computer Programming, 6.4, theorem S), and of the strides about there this one does
	// so best. It has no divisor in common with drawn, so that each stratum has its turn.
	stride = 621
)

// quantile is a distribution of times: the time that a part p of all stays below, 0 < p < 1.
type quantile func(p float64) time.Duration

// draws are the times a distribution gives, in the order in which they are taken. There are drawn of them, one
// from the middle of each stratum of equal probability; after the last comes the first again. So any drawn draws in
// a row have exactly the distribution's quantiles, and the largest is known; and in any other number of them the
// number beyond a percentile is off by three at most. Chance, which would make a p99 of a
// thousand calls uncertain by several percent, is left out.
type draws []time.Duration

// newDraws begins at a stratum that the seed chooses.
func newDraws(q quantile, seed uint64) draws {
	if q == nil {
		return nil
	}
	d := make(draws, drawn)
	at := rand.New(rand.NewPCG(seed, 0)).IntN(drawn)
	for i := range d {
		d[i] = q((float64(at) + 0.5) / drawn)
		at = (at + stride) % drawn
	}
	return d
}

// of is the time of the nth call, the first being 1.
func (d draws) of(n int64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	return d[(n-1)%int64(len(d))]
}

// distribution is a quantile function as a flag.
type distribution struct {
	text     string
	quantile quantile
}

// String implements flag.Value.
func (d *distribution) String() string { return d.text }

// Set implements flag.Value.
func (d *distribution) Set(text string) error {
	kind, rest, _ := strings.Cut(text, ":")
	parse, ok := map[string]func(string) (quantile, error){
		"const": parseConst, "bimodal": parseModes, "lognormal": parseLognormal,
	}[kind]
	if !ok {
		return fmt.Errorf("%q: use const:5ms, bimodal:1ms@0.9,50ms@0.1 or lognormal:10ms,0.8", text)
	}
	q, err := parse(rest)
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	d.text, d.quantile = text, q
	return nil
}

func parseConst(text string) (quantile, error) {
	d, err := parseTime(text)
	return func(float64) time.Duration { return d }, err
}

// parseModes reads TIME@WEIGHT,… whose weights sum to 1. Two modes are usual, any number is possible.
func parseModes(text string) (quantile, error) {
	var times []time.Duration
	var upTo []float64
	sum := 0.0
	for mode := range strings.SplitSeq(text, ",") {
		left, right, _ := strings.Cut(mode, "@")
		d, err := parseTime(left)
		if err != nil {
			return nil, err
		}
		weight, err := strconv.ParseFloat(right, 64)
		if err != nil || !(weight > 0 && weight <= 1) {
			return nil, fmt.Errorf("%q: use TIME@WEIGHT with a weight above 0 and at most 1", mode)
		}
		sum += weight
		times, upTo = append(times, d), append(upTo, sum)
	}
	if math.Abs(sum-1) > 1e-9 {
		return nil, fmt.Errorf("the weights sum to %g, not to 1", sum)
	}
	return func(p float64) time.Duration {
		i := 0
		for i < len(upTo)-1 && p > upTo[i] {
			i++
		}
		return times[i]
	}, nil
}

// parseLognormal reads MEAN,SIGMA: the mean of the times, and the standard deviation of their logarithms. With
// the mean m and z the standard normal's quantile, it is exp(ln m − σ²/2 + σz).
func parseLognormal(text string) (quantile, error) {
	left, right, _ := strings.Cut(text, ",")
	mean, err := parseTime(left)
	if err != nil {
		return nil, err
	}
	sigma, err := strconv.ParseFloat(right, 64)
	if err != nil || !(sigma > 0 && sigma <= maxSigma) || mean == 0 {
		return nil, fmt.Errorf("%q: use MEAN,SIGMA, both above 0, and sigma at most %d", text, maxSigma)
	}
	mu := math.Log(float64(mean)) - sigma*sigma/2
	return func(p float64) time.Duration {
		return time.Duration(math.Exp(mu + sigma*math.Sqrt2*math.Erfinv(2*p-1)))
	}, nil
}

// maxSigma keeps the longest draw of any mean that makes sense within a time.Duration.
const maxSigma = 4

func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New(strconv.Quote(text) + ": use a time such as 500us, 5ms or 2s")
	}
	return d, nil
}

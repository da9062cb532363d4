package stat

// A Verdict is what a gate comes to.
type Verdict string

// The verdicts. Inconclusive says that the measurement can carry neither of the
// others, which is not a milder way of failing.
const (
	Pass         Verdict = "PASS"
	Fail         Verdict = "FAIL"
	Inconclusive Verdict = "INCONCLUSIVE"
)

// Together is the verdict on several things that must all hold: Fail if any
// failed, else Inconclusive if any is, else Pass. Of nothing at all it is
// Inconclusive.
func Together(verdicts ...Verdict) Verdict {
	if len(verdicts) == 0 {
		return Inconclusive
	}
	all := Pass
	for _, v := range verdicts {
		switch {
		case v == Fail:
			return Fail
		case v != Pass:
			all = Inconclusive
		}
	}
	return all
}

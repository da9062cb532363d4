package bench_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/fakegitlab"
)

// gitlabFault is how the GitLab stand-in fails: the name of one of gitlabFaults, or an HTTP status. It is a flag;
// empty is not at all.
type gitlabFault string

// gitlabFaults are the ways in which the stand-in can fail, besides answering with a status.
func gitlabFaults() map[string]fakegitlab.Fault {
	return map[string]fakegitlab.Fault{
		"broken-json": {Kind: fakegitlab.FaultBrokenJSON},
		"hang":        {Kind: fakegitlab.FaultHang},
		"reset":       {Kind: fakegitlab.FaultReset},
		"slow":        {Kind: fakegitlab.FaultSlowBody},
	}
}

// gitlabFaultUsage is the help of the flag.
const gitlabFaultUsage = "how the GitLab stand-in fails, at every request: `HOW` is a status such as 503, 429 as GitLab's throttle answers it,\n" +
	"broken-json (half of the body), slow (the body in eight pieces, 10ms apart), reset (the connection), or hang"

// String implements flag.Value.
func (f *gitlabFault) String() string { return string(*f) }

// Set implements flag.Value.
func (f *gitlabFault) Set(how string) error {
	if _, known := gitlabFaults()[how]; !known && statusOf(how) == 0 {
		return fmt.Errorf("use a status from 400 to 599, or one of %s", strings.Join(slices.Sorted(maps.Keys(gitlabFaults())), ", "))
	}
	*f = gitlabFault(how)
	return nil
}

// statusOf is the status of an error that a text names, or 0.
func statusOf(how string) int {
	status, err := strconv.Atoi(how)
	if err != nil || status < http.StatusBadRequest || status > 599 {
		return 0
	}
	return status
}

// throttleLimit is what GitLab's own limit allows a minute, and throttleReset how long one who passed it is told to wait.
const throttleLimit, throttleReset = 600, time.Second

// arm makes a stand-in fail.
func (f gitlabFault) arm(gitlab *fakegitlab.Server) {
	fault, named := gitlabFaults()[string(f)]
	switch {
	case f == "":
		return
	case named:
	case f == "429":
		fault = fakegitlab.RateLimited(throttleLimit, throttleReset)
	default:
		fault = fakegitlab.Fault{Status: statusOf(string(f))}
	}
	gitlab.SetFault("", fault)
}

func TestGitlabFault(t *testing.T) {
	var f gitlabFault
	for _, how := range []string{"200", "600", "", "slowly", "5xx"} {
		require.ErrorContains(t, f.Set(how), "broken-json, hang, reset, slow")
	}
	gitlab := fakegitlab.New(fakegitlab.Options{})
	t.Cleanup(gitlab.Close)
	for how, want := range map[string]int{"429": http.StatusTooManyRequests, "503": http.StatusServiceUnavailable, "slow": http.StatusUnauthorized} {
		require.NoError(t, f.Set(how))
		assert.Equal(t, how, f.String())
		f.arm(gitlab)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, gitlab.APIURL()+"/projects", nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, want, answer.StatusCode)
	}
}

package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpbench/internal/load"
	"mcpbench/internal/mcp"
)

var driverJob = flag.String("driver-job", "", "`JSON` that tells a process started by TestDriver what it is for")

// childJob is what a process of this binary is for: a stub, or the suite's driver and nothing else.
type childJob struct {
	Serve *stubJob `json:",omitempty"`
	Load  *loadJob `json:",omitempty"`
}

// TestDriverChild is what the processes run that TestDriver starts.
func TestDriverChild(t *testing.T) {
	if *driverJob == "" {
		t.Skip("a part of TestDriver, which starts it in processes of its own")
	}
	var job childJob
	require.NoError(t, json.Unmarshal([]byte(*driverJob), &job))
	if err := job.run(t.Context(), os.Stdout); err != nil {
		// TestDriver shows the standard error of what went wrong, and counts by the output.
		fmt.Fprintln(os.Stderr, err)
		t.FailNow()
	}
}

func (j childJob) run(ctx context.Context, out io.Writer) error {
	if j.Serve != nil {
		return j.Serve.run(ctx, out)
	}
	return j.Load.run(ctx, out)
}

// childArgs are the arguments that give a process of this binary its job.
func childArgs(job childJob) ([]string, error) {
	data, err := json.Marshal(job)
	return []string{"-test.run=^TestDriverChild$", "-driver-job=" + string(data)}, err
}

// loadJob is a closed loop of the suite's driver, as a series makes it: some connections of each credential,
// which ask one method after the other.
type loadJob struct {
	URL                   string
	Credentials, InFlight int
	Methods               []string
}

// Of the driver's closed loop.
const (
	// dialing is how many credentials connect at once.
	dialing = 8
	// loadSpread is the time over which a connection's first call may be put off, for each connection.
	loadSpread = time.Millisecond
	// loadLimit ends a loop that nobody ends.
	loadLimit = time.Hour
)

// run calls until it is interrupted, and writes what became of the calls. A call that fails is the end of it.
func (j loadJob) run(ctx context.Context, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	workers, err := j.workers(ctx)
	if err != nil {
		return err
	}
	spread := time.Duration(len(workers)) * loadSpread
	phase, err := load.Closed(ctx, workers, load.Options{Duration: loadLimit, Spread: spread, StopOnFailure: true})
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	c := countsOf(phase)
	if err == nil {
		return fmt.Errorf("the loop ended by itself: %s", c.Reasons)
	}
	return json.NewEncoder(out).Encode(c)
}

func countsOf(phase *load.Phase) counts {
	c := counts{Failed: phase.Cut + phase.Failed() + phase.Refused()}
	reasons := map[string]int64{}
	for _, m := range phase.Methods {
		c.OK += m.OK
		for reason, n := range m.Reasons {
			reasons[reason] += n
		}
	}
	c.Reasons = countedReasons(reasons)
	return c
}

func (j loadJob) workers(ctx context.Context) ([]load.Worker, error) {
	requests := make([]*mcp.Request, len(j.Methods))
	for i, method := range j.Methods {
		var err error
		if requests[i], err = stubRequest(method); err != nil {
			return nil, err
		}
	}
	workers := make([]load.Worker, j.Credentials*j.InFlight)
	err := load.Each(ctx, j.Credentials, dialing, func(ctx context.Context, i int) error {
		first, err := mcp.DialHTTP(ctx, mcp.HTTPConfig{URL: j.URL, Version: mcp.V20260728, Header: stubCredential(i)})
		for k := range j.InFlight {
			conn := first
			if err == nil && k > 0 {
				conn, err = first.Another(ctx)
			}
			workers[i*j.InFlight+k] = load.Worker{Conn: conn, Requests: requests}
		}
		return err
	})
	return workers, err
}

func stubCredential(i int) http.Header {
	return http.Header{"Private-Token": {"glpat-" + strconv.Itoa(1_000_000+i)}}
}

// stubRequest is what a stub is asked, with the checks that a scenario makes.
func stubRequest(method string) (*mcp.Request, error) {
	spec := mcp.Spec{Label: method, Method: method, Version: mcp.V20260728}
	if method == toolsCall {
		spec.Name = "gitlab_issue"
		spec.Params = json.RawMessage(`{"name":"gitlab_issue","arguments":{"action":"get","project_id":1,"issue_iid":2}}`)
		spec.Expect.Contains = []string{stubText}
	} else {
		spec.Expect.Tools = stubToolCount
	}
	return mcp.NewRequest(spec)
}

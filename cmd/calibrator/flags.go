package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// config is what the flags say.
type config struct {
	version, asChild bool

	http, pprof      string
	credentialPrefix string
	gitlab           string
	upstream         int

	retainCredential, retainSession, retainCall size
	leakRate, garbage                           size
	spike                                       spike
	spikeAt                                     string

	cpuCall, cpuList time.Duration

	startDelay, listDelay time.Duration
	latency               distribution
	seed                  uint64
	stalls                stalls

	tools        int
	listingBytes size

	leakDescriptors, leakGoroutines int
	goroutines                      int
	keepings                        keepings

	overload
	refuseAbove, refuseEvery int
	serveAtOnce              int
	refusal                  refusal

	children   int
	childBytes size
	childCPU   time.Duration

	faults          faults
	longLine, flood size
}

// The instants at which a spike can happen.
const (
	spikeAtStart = "start"
	spikeAtCall  = "call"
)

// group is some of the flags, under a title in the help.
type group struct {
	title  string
	define func(*config, *flag.FlagSet)
}

func groups() []group {
	return []group{
		{"How it is reached", defineReach},
		{"Memory, and other things kept", defineMemory},
		{"Processor time", defineCPU},
		{"Time", defineTime},
		{"Listing", defineListing},
		{"Refusing and waiting", defineRefusals},
		{"Processes", defineChildren},
		{"Faults", defineFaults},
	}
}

func defineReach(c *config, f *flag.FlagSet) {
	f.StringVar(&c.http, "http", "", "serve streamable HTTP at `ADDRESS`, such as 127.0.0.1:8080, under /mcp, in place of\n"+
		"stdio. GET /health answers 200 once it serves, GET /account what was done so far, as JSON.\n"+
		"A request without a credential (PRIVATE-TOKEN, or Authorization: Bearer) is answered 401.\n"+
		"On stdio the credential is the variable GITLAB_TOKEN, and messages are answered as soon as\n"+
		"each is ready, not in order")
	f.StringVar(&c.pprof, "pprof", "", "serve net/http/pprof, and /account, at `ADDRESS`")
	f.StringVar(&c.credentialPrefix, "credential-prefix", "", "answer 401, on HTTP, unless the credential begins with `TEXT`")
	f.StringVar(&c.gitlab, "gitlab", "", "the root `URL` of GitLab")
	f.IntVar(&c.upstream, "upstream", 0, "a tools/call sends GitLab `N` requests, exactly, one after another: GET /api/v4/PATH, with PATH\n"+
		"the call's argument path. The last answer is in the result. After an answer that is not 200\n"+
		"none is sent, and the result has isError")
	f.BoolVar(&c.version, "version", false, "print the version and end")
}

func defineMemory(c *config, f *flag.FlagSet) {
	f.Var(&c.retainCredential, "retain-credential", "retain `BYTES` of Go's heap for each distinct credential, for ever. Sizes of the heap are exact\n"+
		"in runtime.MemStats.HeapAlloc: they are rounded up to 16, and to 64 at least, and no more;\n"+
		"up to 16384 credentials cost nothing besides. What is retained has been written to. Bytes may\n"+
		"be given as 10240, 10KiB, 1MiB")
	f.Var(&c.retainSession, "retain-session", "retain `BYTES` of Go's heap for each session until it is deleted. A session begins with\n"+
		"initialize on HTTP; the process is one on stdio; calls in "+stateless+" over HTTP have none")
	f.Var(&c.retainCall, "retain-call", "leak `BYTES` of Go's heap in each tools/call")
	f.Var(&c.leakRate, "leak-rate", "leak `BYTES` of Go's heap a minute from the start on, in portions every 100ms at most")
	f.IntVar(&c.goroutines, "goroutines", 0, "have been `N` goroutines at once before it serves. Go's runtime keeps some hundred bytes of heap for\n"+
		"each of the most there ever were, which otherwise add to what is retained: a connection has two")
	f.IntVar(&c.leakDescriptors, "leak-descriptors", 0, "open `N` sockets in each tools/call, and never close them")
	f.Var(&c.keepings, "keep", "keep something of requests over HTTP: `KIND:WHAT`,… of each health check (health), request answered 401\n"+
		"(refused), initialize, or request whose client went away before it had all of the answer (cut),\n"+
		"a socket, a goroutine, or bytes of Go's heap: health:socket,refused:10KiB")
	f.IntVar(&c.leakGoroutines, "leak-goroutines", 0, "start `N` goroutines in each tools/call that never end")
	f.Var(&c.garbage, "garbage", "allocate `BYTES` of Go's heap in each tools/call, and drop them at once. They are exact in\n"+
		"runtime.MemStats.TotalAlloc, on top of what a call takes anyway")
	f.Var(&c.spike, "spike", "make memory resident and give it back to the system, once: `BYTES:DURATION`. It is not of Go's\n"+
		"heap, has been written to in full when the duration begins, and is unmapped when that ends")
	f.StringVar(&c.spikeAt, "spike-at", spikeAtCall, "have the spike at `WHEN`: start, before it serves, or call, in the first tools/call, which is\n"+
		"answered afterwards")
}

func defineCPU(c *config, f *flag.FlagSet) {
	f.DurationVar(&c.cpuCall, "cpu-call", 0, "burn processor time in each tools/call: `DURATION`, on top of what a call takes\n"+
		"anyway, which is more when the last was longer ago. It is what the thread takes, by its clock,\n"+
		"and meanwhile the monitor of Go's runtime. What one call took too much the next takes less, so\n"+
		"that the sum is exact; /account has it")
	f.DurationVar(&c.cpuList, "cpu-list", 0, "the same in each tools/list: `DURATION`")
}

func defineTime(c *config, f *flag.FlagSet) {
	f.DurationVar(&c.startDelay, "start-delay", 0, "wait `DURATION` before it listens, or reads stdin, with everything else done")
	f.DurationVar(&c.listDelay, "list-delay", 0, "answer the first tools/list no sooner than `DURATION` after it came. Those that come meanwhile\n"+
		"wait for it")
	f.Var(&c.latency, "latency", "answer a tools/call no sooner than a time after it came that is drawn from `DISTRIBUTION`; work\n"+
		"that takes longer makes it later. It is one of\n"+
		"  const:5ms\n"+
		"  bimodal:1ms@0.9,50ms@0.1    TIME@WEIGHT, any number of them\n"+
		"  lognormal:10ms,0.8          the mean, and the standard deviation of the logarithm\n"+
		fmt.Sprintf("Calls take %d draws in turn, the middles of as many strata, spread evenly: the quantiles of any %d\n", drawn, drawn)+
		"calls in a row are the distribution's, and the longest is its quantile at 0.9995")
	f.Uint64Var(&c.seed, "seed", 1, "begin the draws where `N` says")
	f.Var(&c.stalls, "stall", "answer nothing, health included, from AT to AT+LENGTH: `AT:LENGTH`,… in ascending order. AT counts\n"+
		"from when the first tools/call came. What was held is then answered at once")
}

func defineListing(c *config, f *flag.FlagSet) {
	f.IntVar(&c.tools, "tools", 1, "list `N` tools. Only the first, "+toolName+", can be called: its arguments are path, and echo, which\n"+
		"is sent back. The others take up room")
	f.Var(&c.listingBytes, "listing-bytes", "make the reply to tools/list of `BYTES` exactly, without the digits of its id and without framing.\n"+
		"0 is as few as possible")
}

func defineRefusals(c *config, f *flag.FlagSet) {
	f.IntVar(&c.refuseAbove, "refuse-above", -1, "refuse a tools/call while `N` others are being answered; below 0 none")
	f.IntVar(&c.refuseEvery, "refuse-every", 0, "refuse every `N`th tools/call; 0 none")
	f.IntVar(&c.serveAtOnce, "serve-at-once", 0, "serve `N` tools/call at once, and have any number of others wait for their turn, whosever they\n"+
		"are. The time of -latency counts from there. 0 has none wait")
	c.defineOverload(f)
	c.refusal = refusal{503, 503}
	f.Var(&c.refusal, "refuse-status", "refuse calls as `HOW` says: 429, 503 or rpc. The first two are the status, with Retry-After: 1, and\n"+
		"the code of the JSON-RPC error in the body, which on stdio is all. The last is the JSON-RPC\n"+
		fmt.Sprintf("error %d, with status 200. A refused call costs nothing that other flags say", codeTooMany))
}

func defineChildren(c *config, f *flag.FlagSet) {
	f.IntVar(&c.children, "children", 0, "have `N` children from the start to the end")
	f.Var(&c.childBytes, "child-bytes", "`BYTES` that are resident in each child, rounded up to pages, on top of what a child takes anyway")
	f.DurationVar(&c.childCPU, "child-cpu", 0, "`DURATION` of processor time that each child burns in each tools/call, all children at the same\n"+
		"time. A child does so for one call after another")
	f.BoolVar(&c.asChild, "as-child", false, "be such a child, which the program itself starts")
}

func defineFaults(c *config, f *flag.FlagSet) {
	f.Var(&c.faults, "fault", "fail as `NAME` says, or NAME:FROM: faults of calls begin with the FROMth tools/call, and concern\n"+
		"the answers to those only. Several are separated by commas:\n"+faultHelp())
	c.longLine, c.flood = 65<<20, 1<<20
	f.Var(&c.longLine, "long-line", "`BYTES` of a line that -fault "+longLine+" makes long")
	f.Var(&c.flood, "flood", "`BYTES` that -fault "+floodStderr+" writes")
}

// errUsage marks what is wrong with the command line.
var errUsage = errors.New("see calibrator -help")

// parse reads the command line. It returns flag.ErrHelp where help is asked for.
func parse(args []string) (*config, error) {
	c := new(config)
	f := flag.NewFlagSet("calibrator", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	for _, g := range groups() {
		g.define(c, f)
	}
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, flag.ErrHelp
		}
		return nil, fmt.Errorf("%w: %w", err, errUsage)
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: %w", f.Arg(0), errUsage)
	}
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errUsage)
	}
	return c, nil
}

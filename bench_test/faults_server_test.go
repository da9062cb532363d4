package bench_test

import "testing"

// Names that the results of the calibrator have.
const (
	pointOverHTTP  = "Point/subject=calibrator/transport=http/surface=plain/telemetry=off"
	pointOverStdio = "Point/subject=calibrator/transport=stdio/surface=plain/telemetry=off"
)

// overHTTP is a point scenario over HTTP on a calibrator with a fault.
func overHTTP(fault string, ends aftermath, phase, tail string, says ...string) faultCase {
	return withFault("http", pointOverHTTP, fault, ends, phase, tail, says)
}

// overStdio is a point scenario over stdio on calibrators with a fault, each of which counts its own calls.
func overStdio(fault string, ends aftermath, phase, tail string, says ...string) faultCase {
	return withFault("stdio", pointOverStdio, fault, ends, phase, tail, says)
}

func withFault(transport, result, fault string, ends aftermath, phase, tail string, says []string) faultCase {
	return faultCase{
		what: "`" + fault + "`, " + transport, args: []string{"-fault=" + fault},
		pattern: "Point/transport=" + transport + "/surface=plain/telemetry=off", result: result,
		ends: ends, phase: phase, tail: tail, says: says,
	}
}

// impatient has the process end sooner than its subject file says, for the sake of whoever waits for the test.
func impatient(c faultCase) faultCase {
	c.prepare = func(t *testing.T, f *faultTrial) {
		t.Helper()
		f.edit(t, `grace = "2s"`, `grace = "300ms"`)
	}
	return c
}

// hasty has the suite wait less for a process.
func hasty(c faultCase) faultCase {
	c.flags = append(c.flags, "-ready-timeout=2s")
	return early(c)
}

// early has a run end before it has measured a scenario.
func early(c faultCase) faultCase {
	c.within = soonWithin
	return c
}

// What the calibrator says last.
const (
	saysServes   = "calibrator: serves at "
	saysProfiles = "calibrator: profiles at "
)

// processFaults are those of the server's process.
func processFaults() []faultCase {
	const exits, notReady, deaf = "exit code 3", "the process was not ready within 2s", "killed after its grace"
	return []faultCase{
		hasty(overHTTP("never-ready", failsUnrecorded(), "idle", "as -fault never-ready wants it", notReady)),
		hasty(overStdio("never-ready", failsUnrecorded(), "admit", "as -fault never-ready wants it", notReady)),
		early(overHTTP("exit-at-start", failsUnrecorded(), "idle", "as -fault exit-at-start wants it", exits)),
		early(overStdio("exit-at-start", failsUnrecorded(), "admit", "as -fault exit-at-start wants it", exits)),
		overHTTP("exit-mid-load:100", failsUnrecorded(), "load", "ends in call 100, as", "the process has ended"),
		overStdio("exit-mid-load:30", failsUnrecorded(), "load", "ends in call 30, as", "the process has ended"),
		overHTTP("exit-mid-load:30", failsUnrecorded(), "admit", "ends in call 30, as", "client 29: call (tools/call): failed: transport: "),
		impatient(overHTTP("deaf-to-sigterm", failsMarked(), "close", saysServes, deaf)),
		impatient(overStdio("deaf-to-sigterm", failsMarked(), "close", saysProfiles, deaf)),
		overHTTP("flood-stderr:30", measuresWell(), "", ""),
		overStdio("flood-stderr:30", measuresWell(), "", ""),
	}
}

// replyFaults are those of the server's replies.
func replyFaults() []faultCase {
	const (
		inError   = "json-rpc -32603: an error, as -fault error-200 wants it"
		tooLarge  = "transport: a message too large to go on with"
		notObject = "json: not a whole JSON object"
		midway    = "transport: closed in the middle of the response"
	)
	return []faultCase{
		overHTTP("sse", measuresWell(), "", ""),
		overHTTP("json", measuresWell(), "", ""),
		overHTTP("byte-at-a-time", measuresWell(), "", ""),
		overStdio("byte-at-a-time", measuresWell(), "", ""),
		overStdio("out-of-order:30", measuresWell(), "", ""),
		overHTTP("out-of-order:100", failsMarked(), "load", saysServes, "id: "),
		overStdio("garbage-stdout:30", failsMarked(), "load", saysProfiles, notObject+": this is a line of a log"),
		impatient(overHTTP("long-line:512", failsMarked(), "load", saysServes, "1 × "+tooLarge)),
		overStdio("long-line:1", failsUnrecorded(), "admit", saysProfiles, "client 0: call (tools/call): failed: "+tooLarge),
		overHTTP("error-200:100", failsMarked(), "load", saysServes, "413 × "+inError),
		overStdio("error-200:30", failsMarked(), "load", saysProfiles, "176 × "+inError),
		overHTTP("is-error:100", failsMarked(), "load", saysServes, "413 × isError: measured"),
		overStdio("is-error:30", failsMarked(), "load", saysProfiles, "176 × isError: measured"),
		overHTTP("duplicated:100", failsMarked(), "load", saysServes, notObject),
		overStdio("duplicated:30", failsMarked(), "load", saysProfiles, "id: "),
		overHTTP("truncated:100", failsMarked(), "load", saysServes, midway),
		overStdio("truncated:30", failsMarked(), "load", saysProfiles, notObject),
		overHTTP("half-closed:100", failsMarked(), "load", saysServes, midway),
		overStdio("half-closed:30", failsMarked(), "load", saysProfiles, "transport: closed before the response"),
		overHTTP("reset:100", failsMarked(), "load", saysServes, "transport: connection reset by peer"),
		overHTTP("reset:30", failsUnrecorded(), "admit", saysServes, "client 29: call (tools/call): failed: transport: connection reset by peer"),
	}
}

package main

import (
	"errors"
	"fmt"
)

// transport is the one that is served.
func (c *config) transport() string {
	if c.http != "" {
		return onHTTP
	}
	return onStdio
}

// validate checks what the flags say together.
func (c *config) validate() error {
	checks := []struct {
		ok   bool
		what string
	}{
		{c.upstream >= 0, "-upstream is negative"},
		{c.upstream == 0 || c.gitlab != "", "-upstream needs -gitlab"},
		{c.spikeAt == spikeAtStart || c.spikeAt == spikeAtCall, "-spike-at is start or call"},
		{c.cpuCall >= 0 && c.cpuList >= 0 && c.childCPU >= 0, "processor time is negative"},
		{c.startDelay >= 0 && c.listDelay >= 0, "a delay is negative"},
		{c.tools > 0, "-tools is below 1"},
		{c.refuseEvery >= 0, "-refuse-every is negative"},
		{c.refuseAfter >= 0, "-refuse-after is negative"},
		{c.serveAtOnce >= 0, "-serve-at-once is negative"},
		{c.goroutines >= 0, "-goroutines is negative"},
		{c.leakDescriptors >= 0 && c.leakGoroutines >= 0, "a leak is negative"},
		{c.children >= 0, "-children is negative"},
		{c.asChild || c.children > 0 || c.childBytes == 0 && c.childCPU == 0, "-child-bytes and -child-cpu need -children"},
		{len(c.keepings) == 0 || c.http != "", "-keep needs -http"},
		{c.credentialPrefix == "" || c.http != "", "-credential-prefix needs -http"},
	}
	for _, check := range checks {
		if !check.ok {
			return errors.New(check.what)
		}
	}
	if least := smallestListing(c.tools); c.listingBytes > 0 && int64(c.listingBytes) < least {
		return fmt.Errorf("-listing-bytes: a listing of %d tools takes at least %d bytes", c.tools, least)
	}
	return c.faults.validate(c.transport())
}

package mcp

import "sync/atomic"

type memory struct{ varies atomic.Bool }

type needle struct{ text string }

func newNeedle(s string) needle { return needle{s} }

const clientName, clientVersion = "mcpbench", "1"

func requestHead(Spec, int) []byte { return nil }

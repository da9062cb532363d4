package mcp

// Version is a revision of the Model Context Protocol, as its date.
type Version string

// The revisions this package can speak.
const (
	V20260728 Version = "2026-07-28"
	V20251125 Version = "2025-11-25"
	V20250618 Version = "2025-06-18"
	V20250326 Version = "2025-03-26"
	V20241105 Version = "2024-11-05"
)

// Known reports whether v is a revision this package can speak.
func (v Version) Known() bool {
	switch v {
	case V20260728, V20251125, V20250618, V20250326, V20241105:
		return true
	}
	return false
}

// Initializes reports whether a conversation in v begins with initialize.
// From 2026-07-28 on, every request carries what initialize used to agree.
func (v Version) Initializes() bool { return v != V20260728 }

// hasVersionHeader reports whether v sends Mcp-Protocol-Version once the
// conversation has begun; revisions before 2025-06-18 do not know it.
func (v Version) hasVersionHeader() bool {
	return v != V20241105 && v != V20250326
}

package main

import "testing"

// BenchmarkDraw reads the published record and draws its page, every file of it. The design wants it in under 2 s.
func BenchmarkDraw(b *testing.B) {
	for b.Loop() {
		if code, _, stderr := command("-record", published, "-out", b.TempDir()); code != 0 {
			b.Fatal(stderr)
		}
	}
}

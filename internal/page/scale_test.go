package page

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSignificant(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "1": 1, "64": 64, "1,230": 1230, "1,234,567": 1234567, "12,345": 12345.4, "123": 123.4,
		"12.3": 12.34, "1.23": 1.234, "0.123": 0.1234, "0.0123": 0.01234, "0.000001": 0.0000012,
		"−1.50": -1.5, "−2": -2, "0.000000": -1e-9, "−1,234": -1234.5,
	} {
		assert.Equal(t, want, significant(v), "%v", v)
	}
}

func TestAmount(t *testing.T) {
	for _, tc := range []struct {
		unit string
		v    float64
		want string
	}{
		{"peak-RSS-bytes", 512, "512 B"},
		{"list-bytes", 12_410, "12.1 KiB"},
		{"peak-RSS-bytes", 3 << 30, "3 GiB"},
		{"further-RSS-bytes/client", -555_745, "−543 KiB"},
		{"ready-ns", 0.5, "0.500 ns"},
		{"ready-ns", 850, "850 ns"},
		{"cpu-ns/call", 7_394_000, "7.39 ms"},
		{"call-p99-ns", 2.394e9, "2.39 s"},
		{"goroutines", 2015, "2,015"},
		{"upstream-requests/call", 1, "1"},
	} {
		assert.Equal(t, tc.want, amount(tc.unit, tc.v))
	}
}

func TestBetween(t *testing.T) {
	assert.Equal(t, "1–2", between("1", "2"))
	assert.Equal(t, "1", between("1", "1"))
	assert.Equal(t, "−1 to 2", between("−1", "2"))
}

package fakegitlab

// mix turns two numbers into a third that depends on every bit of both (the finaliser of SplitMix64:
// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
func mix(a, b uint64) uint64 {
	z := a + 0x9e3779b97f4a7c15*(b+1)
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// hashText is 64-bit FNV-1a of a text, mixed with a seed.
func hashText(seed uint64, text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mix(seed, h)
}

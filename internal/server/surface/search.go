package surface

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mcpbench/internal/server/catalog"
)

// How much a word counts by where it stands.
const (
	inTitle    = 3.0
	inService  = 1.5
	inPath     = 1.0
	inRequired = 0.6
	inOptional = 0.25
)

const (
	saturation   = 2.0 // k1 of BM25: how soon more of a word stops to matter
	lengthWeight = 0.35
	bySynonym    = 0.8 // what a word counts that was not said but meant
	ofVerb       = 0.3 // what a verb counts that many operations could go by
	forTitle     = 0.5 // the share of a score that hangs on how much of the title was asked for
	rightVerb    = 1.25
	likelyVerb   = 1.1 // of a reading operation, where the query has no verb
	wrongVerb    = 0.7
	deprecated   = 0.6
)

// index is an inverted index over the operations, ranked in the manner of BM25F: Robertson, Zaragoza,
// "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.6.
type index struct {
	ops      []*catalog.Operation
	postings map[string][]posting
	length   []float64 // words in the title of each operation but plain verbs
	mean     float64   // of length
}

// posting says how much of a word an operation has.
type posting struct {
	op     uint16
	weight float32
}

func newIndex(ops []*catalog.Operation) *index {
	x := &index{ops: ops, postings: map[string][]posting{}, length: make([]float64, len(ops))}
	for i, op := range ops {
		weights, titleLength := weigh(op)
		x.length[i] = float64(titleLength)
		x.mean += x.length[i] / float64(len(ops))
		for word, weight := range weights {
			x.postings[word] = append(x.postings[word], posting{uint16(i), float32(weight)})
		}
	}
	return x
}

// weigh gives the words of an operation, each with the weight of its best place.
func weigh(op *catalog.Operation) (weights map[string]float64, titleLength int) {
	required, optional := op.Parameters()
	title := words(op.Title())
	weights = map[string]float64{}
	add := func(list []string, weight float64) {
		for _, word := range list {
			weights[word] = max(weights[word], weight)
		}
	}
	add(title, inTitle)
	add(words(catalog.ServiceTitle(op.Service)), inService)
	add(words(literals(op.Path)), inPath)
	add(words(strings.Join(required, " ")), inRequired)
	add(words(strings.Join(optional, " ")), inOptional)
	return weights, max(1, len(slices.DeleteFunc(title, isPlainVerb)))
}

// literals is a path without its parameters.
func literals(path string) string {
	var kept []string
	for segment := range strings.SplitSeq(path, "/") {
		if !strings.HasPrefix(segment, "{") && segment != "graphql" {
			kept = append(kept, segment)
		}
	}
	return strings.Join(kept, " ")
}

// search returns the operations that fit a query best, at most limit.
func (x *index) search(query string, limit int) []*catalog.Operation {
	said := words(query)
	scores := make([]float64, len(x.ops))
	matched := make([]float64, len(x.ops))
	for word, weight := range expand(said) {
		if isPlainVerb(word) {
			weight *= ofVerb
		}
		x.score(scores, matched, word, weight)
	}
	intent := intentOf(query, said)
	var hits []int
	for i := range scores {
		if scores[i] > 0 {
			covered := min(1, matched[i]/x.length[i])
			scores[i] *= intent.fits(x.ops[i]) * (1 - forTitle + forTitle*covered)
			hits = append(hits, i)
		}
	}
	slices.SortFunc(hits, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	found := make([]*catalog.Operation, min(limit, len(hits)))
	for i := range found {
		found[i] = x.ops[hits[i]]
	}
	return found
}

// score adds what a word is worth to each operation that has it, and counts it where it is in the title.
func (x *index) score(scores, matched []float64, word string, weight float64) {
	list := x.postings[word]
	n, df := float64(len(x.ops)), float64(len(list))
	idf := math.Log(1 + (n-df+0.5)/(df+0.5))
	for _, p := range list {
		tf := float64(p.weight) / (1 - lengthWeight + lengthWeight*x.length[p.op]/x.mean)
		scores[p.op] += weight * idf * tf / (saturation + tf)
		if p.weight == inTitle && !isPlainVerb(word) {
			matched[p.op]++
		}
	}
}

// expand gives the words to look for: those said, and those that GitLab uses for them.
func expand(said []string) map[string]float64 {
	wanted := map[string]float64{}
	add := func(word string, weight float64) { wanted[word] = max(wanted[word], weight) }
	for i := 0; i < len(said); {
		meant, n := phrase(said[i:])
		for _, word := range meant {
			add(word, bySynonym)
		}
		if n == 1 && !slices.Equal(meant, said[i:i+1]) || meant == nil {
			add(said[i], 1-0.5*min(1, float64(len(meant))))
		}
		i += n
	}
	return wanted
}

// phrase finds the longest phrase that said begins with, and how many words it takes.
func phrase(said []string) (meant []string, n int) {
	for n := min(longestPhrase, len(said)); n > 0; n-- {
		if meant, ok := synonyms[strings.Join(said[:n], " ")]; ok {
			return meant, n
		}
	}
	return nil, 1
}

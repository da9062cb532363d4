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
	sameVerb     = 1.4 // of an operation that begins as the query does
	wrongVerb    = 0.7
	deprecated   = 0.6
)

// index is an inverted index over the operations, ranked in the manner of BM25F: Robertson, Zaragoza,
// "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.6.
type index struct {
	ops      []*catalog.Operation
	postings map[string][]posting
	length   []float64       // words in the title of each operation but plain verbs
	mean     float64         // of length
	verb     []string        // the stem of the first word of each operation's action
	does     map[string]bool // verb, of those that change something
}

// posting says how much of a word an operation has.
type posting struct {
	op     uint16
	weight float32
}

func newIndex(ops []*catalog.Operation) *index {
	x := &index{ops: ops, postings: map[string][]posting{}, length: make([]float64, len(ops)), verb: make([]string, len(ops)), does: map[string]bool{}}
	for i, op := range ops {
		weights, titleLength := weigh(op)
		x.length[i] = float64(titleLength)
		x.verb[i] = firstWord(op)
		if !op.ReadOnly {
			x.does[x.verb[i]] = true
		}
		x.mean += x.length[i] / float64(len(ops))
		for word, weight := range weights {
			x.postings[word] = append(x.postings[word], posting{uint16(i), float32(weight)})
		}
	}
	for _, op := range ops { // a project is nothing to do, though ProjectInvites invites
		delete(x.does, strings.Join(words(catalog.ServiceTitle(op.Service)), " "))
	}
	return x
}

func firstWord(op *catalog.Operation) string {
	first, _, _ := strings.Cut(op.Action, "_")
	return stem(first)
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
	wanted := concepts(said)
	all := x.tally(wanted)
	intent := x.intentOf(query, said)
	var hits []int
	for i, worth := range all.worth {
		if worth > 0 {
			covered := min(1, all.titled[i]/x.length[i])
			all.worth[i] *= intent.fits(x.ops[i]) * (1 - forTitle + forTitle*covered)
			if !isPlainVerb(x.verb[i]) && wanted[0].has(x.verb[i]) {
				all.worth[i] *= sameVerb
			}
			hits = append(hits, i)
		}
	}
	slices.SortFunc(hits, func(a, b int) int { return cmp.Or(cmp.Compare(all.worth[b], all.worth[a]), cmp.Compare(a, b)) })
	found := make([]*catalog.Operation, min(limit, len(hits)))
	for i := range found {
		found[i] = x.ops[hits[i]]
	}
	return found
}

// tally is what each operation is worth, and how many words of its title were asked for.
type tally struct{ worth, titled []float64 }

func (x *index) newTally() tally {
	return tally{make([]float64, len(x.ops)), make([]float64, len(x.ops))}
}

func (t tally) clear() {
	clear(t.worth)
	clear(t.titled)
}

// tally adds up what the concepts are worth: each what its best meaning is.
func (x *index) tally(wanted []concept) tally {
	all, best, one := x.newTally(), x.newTally(), x.newTally()
	for _, c := range wanted {
		best.clear()
		rare := x.rarity(x.having(c, one.worth))
		for _, m := range c {
			one.clear()
			x.count(one, m, rare)
			for i := range one.worth {
				best.worth[i], best.titled[i] = max(best.worth[i], one.worth[i]), max(best.titled[i], one.titled[i])
			}
		}
		for i := range best.worth {
			all.worth[i] += best.worth[i]
			all.titled[i] += best.titled[i]
		}
	}
	return all
}

// having is the number of operations that have any meaning of one word. Such meanings are taken to be as rare
// as all of them together: Pirkola, "The Effects of Query Structure and Dictionary Setups in
// Dictionary-Based Cross-Language Information Retrieval" (1998).
func (x *index) having(c concept, seen []float64) (n int) {
	clear(seen)
	for _, m := range c {
		if len(m.words) > 1 {
			continue
		}
		for _, p := range x.postings[m.words[0]] {
			if seen[p.op] == 0 {
				seen[p.op] = 1
				n++
			}
		}
	}
	return n
}

// count counts a meaning; rare is the rarity of one that is a single word.
func (x *index) count(t tally, m meaning, rare float64) {
	for _, word := range m.words {
		weight, list, verb := m.weight, x.postings[word], isPlainVerb(word)
		if verb {
			weight *= ofVerb
		}
		if len(m.words) > 1 {
			rare = x.rarity(len(list))
		}
		for _, p := range list {
			tf := float64(p.weight) / (1 - lengthWeight + lengthWeight*x.length[p.op]/x.mean)
			t.worth[p.op] += weight * rare * tf / (saturation + tf)
			if p.weight == inTitle && !verb {
				t.titled[p.op]++
			}
		}
	}
}

// rarity is the inverse document frequency of a word that n operations have.
func (x *index) rarity(n int) float64 {
	all, df := float64(len(x.ops)), float64(n)
	return math.Log(1 + (all-df+0.5)/(df+0.5))
}

// concept is one thing that a query speaks of: the meanings that it may have.
type concept []meaning

// has says whether a meaning of the concept begins with a word.
func (c concept) has(word string) bool {
	return slices.ContainsFunc(c, func(m meaning) bool { return m.words[0] == word })
}

// meaning is a list of stems, all of which are looked for, and how much they count.
type meaning struct {
	words  []string
	weight float64
}

// concepts gives the things to look for: those said, and those that GitLab says for them.
func concepts(said []string) []concept {
	var list []concept
	for i := 0; i < len(said); {
		meant, n := phrase(said[i:])
		var c concept
		if n == 1 {
			c = concept{{said[i : i+1], 1}}
		}
		for _, words := range meant {
			if i == 0 && n == 1 && isPlainVerb(said[0]) && !isPlainVerb(words[0]) {
				continue // what is said first is what to do, and no thing
			}
			c = append(c, meaning{words, bySynonym})
		}
		if !slices.ContainsFunc(list, func(before concept) bool { return slices.EqualFunc(before, c, meaning.equal) }) {
			list = append(list, c)
		}
		i += n
	}
	return list
}

func (m meaning) equal(other meaning) bool { return slices.Equal(m.words, other.words) }

// phrase finds the longest phrase that said begins with, and how many words it takes.
func phrase(said []string) (meant meanings, n int) {
	for n := min(longestPhrase, len(said)); n > 0; n-- {
		if meant, ok := synonyms()[strings.Join(said[:n], " ")]; ok {
			return meant, n
		}
	}
	return nil, 1
}

// Package fakegitlab is a GitLab stand-in on loopback: it answers every read the official Go client can
// ask with data drawn from a seed, remembers what is written, and counts each request by route.
//
// Nothing is stored until it is written: an item is a function of the seed, its collection and its
// position, and is turned into JSON, with every field the client's type knows, when it is first asked for.
// Two servers with one seed answer with the same bytes.
//
// It does not judge what it is told: it checks neither permissions nor business rules, runs no pipeline
// and sends no mail. What GitLab would refuse, it may accept. It never listens beyond loopback.
package fakegitlab

package fakegitlab

import (
	"strconv"
	"strings"
)

// How many of each there are below a project.
const (
	pipelinesPerProject  = 30
	jobsPerProject       = 60
	branchesPerProject   = 30
	tagsPerProject       = 25
	commitsPerProject    = 100
	labelsPerProject     = 24
	milestonesPerProject = 22
)

// idSpan is how far the ids of neighbouring parents are apart.
const idSpan = 1000

// world is the part of the data that follows from the options alone.
type world struct {
	opts Options
}

func (w *world) sizeOf(k kind) int {
	switch k {
	case kindProject:
		return w.opts.Projects
	case kindGroup:
		return w.opts.Groups
	case kindUser:
		return w.opts.Users
	case kindIssue, kindMergeRequest:
		return w.opts.PerProject
	case kindPipeline:
		return pipelinesPerProject
	case kindJob:
		return jobsPerProject
	case kindBranch:
		return branchesPerProject
	case kindTag, kindRelease:
		return tagsPerProject
	case kindCommit:
		return commitsPerProject
	case kindLabel:
		return labelsPerProject
	case kindMilestone:
		return milestonesPerProject
	default:
		return 25
	}
}

// hashOf is an item's random number. A thing with an identity has the same one wherever it is shown.
func (w *world) hashOf(k kind, project, id int64, otherwise uint64) uint64 {
	switch k {
	case kindAny, kindNote:
		return otherwise
	}
	return mix(mix(mix(w.opts.Seed, uint64(k)), uint64(project)), uint64(id))
}

// groupOf is the group a project lives in.
func (w *world) groupOf(project int64) int64 {
	return (max(project, 1)-1)%int64(w.opts.Groups) + 1
}

func (w *world) groupPath(id int64) string {
	return nouns[mix(w.opts.Seed, uint64(id)*2)%uint64(len(nouns))] + "-team-" + itoa(id)
}

func (w *world) projectSlug(id int64) string {
	h := mix(w.opts.Seed, uint64(id)*2+1)
	return pick(nouns, h) + "-" + pick(nouns, mix(h, 1)) + "-" + itoa(id)
}

func (w *world) projectPath(id int64) string {
	return w.groupPath(w.groupOf(id)) + "/" + w.projectSlug(id)
}

func (w *world) userName(id int64) string {
	h := mix(w.opts.Seed, uint64(id)*3)
	return pick(givenNames, h) + " " + pick(familyNames, mix(h, 1))
}

func (w *world) username(id int64) string {
	return strings.ReplaceAll(strings.ToLower(w.userName(id)), " ", ".") + itoa(id)
}

func (w *world) projectURL(id int64) string { return w.opts.ExternalURL + "/" + w.projectPath(id) }

func (w *world) labelName(i int) string {
	return []string{"area", "type", "priority"}[i%3] + "::" + nouns[i%len(nouns)]
}

func (w *world) branchName(project int64, i int) string {
	if i == 0 {
		return "main"
	}
	return "feature/" + pick(nouns, mix(uint64(project), uint64(i))) + "-" + strconv.Itoa(i)
}

func tagName(i int) string { return "v1." + strconv.Itoa(i/5) + "." + strconv.Itoa(i%5) }

// trailingNumber is the number a path or a user name ends with, 0 when there is none.
func trailingNumber(text string) int64 {
	i := len(text)
	for i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
		i--
	}
	n, _ := strconv.ParseInt(text[i:], 10, 64)
	return n
}

// projectID resolves a numeric or full-path project reference among those made from the seed.
func (w *world) projectID(ref string) (int64, bool) {
	id, err := strconv.ParseInt(ref, 10, 64)
	if err != nil {
		id = trailingNumber(ref)
		if id == 0 || w.projectPath(id) != ref {
			return 0, false
		}
	}
	return id, id >= 1 && id <= int64(w.opts.Projects)
}

// groupID resolves a numeric or path group reference.
func (w *world) groupID(ref string) (int64, bool) {
	id, err := strconv.ParseInt(ref, 10, 64)
	if err != nil {
		id = trailingNumber(ref)
		if id == 0 || w.groupPath(id) != ref {
			return 0, false
		}
	}
	return id, id >= 1 && id <= int64(w.opts.Groups)
}

package fakegitlab

// Known names one thing of the data as it is before anything is written, for checks that must say what
// they expect. Numbers a thing does not have are 0, texts it does not have are empty.
type Known struct {
	// ID and IID are its numbers; ProjectID is the project it lives in.
	ID, IID, ProjectID int64
	// Name is what a person calls it: a full path, user name, title or branch.
	Name string
	// State is opened, closed, merged or a pipeline's status.
	State string
	// WebURL is its address inside the data, which is not the stand-in's own.
	WebURL string
}

// Project is the i-th project, counted from 0; its ID is i+1 and its Name the full path.
func (s *Server) Project(i int) Known { return s.known(kindProject, 0, i, "path_with_namespace") }

// Group is the i-th group; its ID is i+1 and its Name the full path.
func (s *Server) Group(i int) Known { return s.known(kindGroup, 0, i, "full_path") }

// User is the i-th user, whose token is Token(i); its ID is i+1.
func (s *Server) User(i int) Known {
	if i >= s.opts.Users {
		home, _ := s.home(kindUser, 0)
		home.n = i + 1
		return knownOf(home.item(i), "username")
	}
	return s.known(kindUser, 0, i, "username")
}

// Issue is the i-th issue of a project; its IID is i+1.
func (s *Server) Issue(project int64, i int) Known { return s.known(kindIssue, project, i, "title") }

// MergeRequest is the i-th merge request of a project; its IID is i+1.
func (s *Server) MergeRequest(project int64, i int) Known {
	return s.known(kindMergeRequest, project, i, "title")
}

// Pipeline is the i-th pipeline of a project.
func (s *Server) Pipeline(project int64, i int) Known {
	return s.known(kindPipeline, project, i, "source")
}

// Job is the i-th job of a project.
func (s *Server) Job(project int64, i int) Known { return s.known(kindJob, project, i, "name") }

// Branch is the i-th branch of a project; the first is main.
func (s *Server) Branch(project int64, i int) Known { return s.known(kindBranch, project, i, "name") }

// Commit is the i-th commit of a project; its Name is the SHA.
func (s *Server) Commit(project int64, i int) Known { return s.known(kindCommit, project, i, "id") }

func (s *Server) known(k kind, project int64, i int, name string) Known {
	home, ok := s.home(k, project)
	if !ok || i < 0 || i >= home.n {
		return Known{}
	}
	home.over = nil
	return knownOf(home.item(i), name)
}

func knownOf(it item, name string) Known {
	text := func(name string) string {
		if t, ok := kindTexts[it.kind][name]; ok {
			return t(&it)
		}
		if t, ok := commonTexts[name]; ok {
			return t(&it)
		}
		return ""
	}
	k := Known{ID: it.id, IID: it.iid, ProjectID: it.project, Name: text(name), WebURL: text("web_url")}
	switch it.kind {
	case kindIssue, kindMergeRequest:
		k.State = it.state()
	case kindPipeline, kindJob:
		k.State = text("status")
	}
	return k
}

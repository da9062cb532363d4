package surface

import (
	"strings"
	"sync"
)

// synonyms maps what people say to what GitLab says: one thing, or several that it may be, with a bar
// between. Phrases are tried before words; all are written as people write them and compared as stems. Only
// a search needs the table, so the first one reads it.
var synonyms = sync.OnceValue(func() map[string]meanings { return compile(synonymTable) })

const synonymTable = `
mr = merge request
mrs = merge request
pr = merge request
prs = merge request
pull request = merge request
change request = merge request
patch = merge request diff
ticket = issue
bug = issue
story = issue
file bug = create issue
report bug = create issue
report problem = create issue
file ticket = create issue
file issue = create issue
close = update close
reopen = update reopen
assign = update assign
rename = update rename
commit file = create commit
commit change = create commit
task = issue | work item
defect = issue
repo = project | repository
repos = project | repository
repository = project | repository
codebase = project | repository
build = job | pipeline
ci = pipeline | job
ci variable = variable
environment variable = variable
secret = variable
ci config = lint ci
ci yml = lint ci validate
gitlab ci yml = project lint ci
yaml = lint yml
validate = lint | validate
log = log | trace
logs = trace
job log = job trace
build log = job trace
console output = job trace
output = trace | output
git log = list commit
history = commit | event
to dos = todo
todo list = list todo
todos = todo
inbox = todo
pat = personal access token
api token = personal access token
api key = personal access token
comment = note
comments = note
remark = note
reply = add discussion note
thread = discussion
conversation = discussion
review comment = merge request discussion note
approver = approval
directory = tree
folder = tree
content = file | tree
contents = file | tree
source = file | repository
code = blob
grep = search blob
find = search | list
search = search
look up = get | list
blame = blame
who wrote = blame
authored = blame | commit
author = author
person = user | member
people = user | member
somebody = user | member
someone = user | member
colleague = user | member
teammate = member
collaborator = member
account = user
who am i = current user
myself = current user
logged in = current user
maintainer = access level | member
developer = access level | member
reporter = access level | member
guest = access level | member
owner = access level | member | owner
permission = access level | member
who has access = list member
role = member | access level
diff = diff | change
changed = diff | change
changes = diff | change
webhook = hook
webhooks = hook
callback = hook
gist = snippet
gists = snippet
paste = snippet
emoji = award emoji
reaction = award emoji
thumbs up = create award emoji
docs page = wiki page
documentation = wiki page
image registry = container registry
docker image = container registry repository tag
container image = registry repository tag
deployed = deployment | environment
deploy = deployment
rollout = deployment
staging = environment
production = environment
nightly = schedule
cron = schedule
scheduled pipeline = pipeline schedule
periodic = schedule
executor = runner
worker = runner
agent = agent | runner
kubernetes = cluster agent
version = version
release notes = release | changelog
organisation = group
organization = group
team = group | member
namespace = namespace | group
public key = ssh key
sprint = iteration | milestone
sprints = iteration | milestone
deadline = milestone due date
backlog = issue | board
kanban = board
board = board
star = star
favourite = star
watch = subscribe
follow = subscribe
unfollow = unsubscribe
depends on = dependency
vulnerabilities = vulnerability
cherry pick = cherry pick
undo = revert
rollback = revert
backport = cherry pick
merge request = merge request
merge = merge | accept
trigger = create | run | trigger
kick off = create | run
start = create | start
rerun = retry
re run = retry
restart = retry
abort = cancel
stop = cancel | stop
kill = cancel
file = file
invite = add | invite
lock = protect | lock
test results = test report
failing tests = test report
unit tests = test report
statistics = statistic
`

// meanings are what a phrase may mean, each a list of stems.
type meanings [][]string

// compile reads lines of "what people say = what GitLab says | what else it may say".
func compile(table string) map[string]meanings {
	m := map[string]meanings{}
	for line := range strings.Lines(table) {
		said, meant, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		var list meanings
		for one := range strings.SplitSeq(meant, "|") {
			list = append(list, words(one))
		}
		m[strings.Join(words(said), " ")] = list
	}
	return m
}

// longestPhrase is how many stems the longest key of synonyms has.
const longestPhrase = 3

package surface

import "strings"

// synonyms maps what people say to what GitLab says. Phrases are tried before words; all are written as
// people write them and compared as stems.
var synonyms = compile(`
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
task = issue work item
defect = issue
repo = project repository
repos = project repository
repositories = project repository
codebase = repository
build = job pipeline
ci = pipeline job
ci variable = variable
environment variable = variable
secret = variable
ci config = lint ci
ci yml = lint ci validate
gitlab ci yml = project lint ci
yaml = lint yml
validate = lint validate
log = log trace
logs = trace
job log = job trace
build log = job trace
console output = job trace
output = trace output
git log = list commit
history = commit event
to do = todo
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
reviewer = reviewer approval
directory = tree
folder = tree
content = file tree
contents = file tree
source = file repository
code = blob
grep = search blob
find = search list
search = search
look up = get list
blame = blame
who wrote = blame
authored = blame commit
author = author
person = user member
people = user member
somebody = user member
someone = user member
colleague = user member
teammate = member
collaborator = member
account = user
who am i = current user
myself = current user
logged in = current user
permission = access level member
who has access = list member
role = member access level
diff = diff change
changed = diff change
changes = diff change
webhook = hook
webhooks = hook
callback = hook
gist = snippet
gists = snippet
paste = snippet
emoji = award emoji
reaction = award emoji
thumbs up = award emoji
docs page = wiki page
documentation = wiki page
image registry = container registry
docker image = container registry repository tag
container image = registry repository tag
deployed = deployment environment
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
agent = agent runner
kubernetes = cluster agent
version = version
release notes = release changelog
organisation = group
organization = group
team = group member
namespace = namespace group
public key = ssh key
sprint = iteration milestone
sprints = iteration milestone
deadline = milestone due date
backlog = issue board
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
accept = accept
trigger = create run trigger
kick off = create run
start = create start
rerun = retry
re run = retry
restart = retry
abort = cancel
stop = cancel stop
kill = cancel
file = file
invite = add invite
lock = protect lock
test results = test report
failing tests = test report
unit tests = test report
statistics = statistic
`)

// compile reads lines of "what people say = what GitLab says".
func compile(table string) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(table) {
		said, meant, ok := strings.Cut(line, "=")
		if ok {
			m[strings.Join(words(said), " ")] = words(meant)
		}
	}
	return m
}

// longestPhrase is how many stems the longest key of synonyms has.
const longestPhrase = 3

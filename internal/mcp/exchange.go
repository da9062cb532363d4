package mcp

import (
	"bytes"
	"strconv"
)

// exchange is one request on its way over HTTP and the response to it.
type exchange struct {
	response
	events sse
	msg    message
	reply  *Reply
	note   []byte // beginning of a body that is no message
	judged bool
}

// begin makes x ready for the response to req.
func (x *exchange) begin(req *Request, id int64, reply *Reply, keep *bytes.Buffer) {
	x.reset()
	x.msg.begin(req, id, keep)
	x.events, x.reply, x.note, x.judged = sse{}, reply, nil, false
}

// body takes a piece of the response's body in.
func (x *exchange) body(p []byte) {
	switch {
	case x.status != 200 || x.media == mediaOther || x.msg.req.plain != "":
		x.note = append(x.note, p[:min(len(p), maxText-len(x.note))]...)
	case x.media == mediaJSON:
		x.msg.feed(p)
	default:
		x.events.feed(p, x)
	}
}

// data takes a piece of an event's data in.
func (x *exchange) data(p []byte) { x.msg.feed(p) }

// event takes the end of an event in.
func (x *exchange) event() {
	var r Reply
	kind, why := x.msg.end(&r)
	switch {
	case kind == kindNotice:
	case x.judged:
		if x.reply.Outcome == OK {
			x.reply.set(Failed, "id: a further reply in the same response")
		}
	case kind == kindReply:
		x.take(r)
	default:
		x.fail(why)
	}
	keep := x.msg.keep
	if x.judged {
		keep = nil // it has the reply
	}
	x.msg.begin(x.msg.req, x.msg.id, keep)
}

// take copies a judgement.
func (x *exchange) take(r Reply) {
	x.judged = true
	x.reply.set(r.Outcome, r.Reason)
	x.reply.Bytes, x.reply.Tools, x.reply.More = r.Bytes, r.Tools, r.More
}

// fail judges the call a failure.
func (x *exchange) fail(why string) {
	x.judged = true
	x.reply.set(Failed, why)
}

// end judges the response, now that it is whole.
func (x *exchange) end() {
	x.reply.Status, x.reply.Told, x.reply.RetryAfter = x.status, x.told, x.retryAfter
	switch {
	case x.msg.req.notification && x.status/100 == 2:
		x.reply.set(OK, "")
	case x.status == 429 || x.status == 503:
		x.reply.set(Refused, x.statusReason())
	case x.status != 200:
		x.fail(x.statusReason())
	case x.msg.req.plain != "":
		x.endPlain()
	case x.media == mediaOther:
		x.fail("shape: neither JSON nor events: " + excerpt(x.note))
	case x.media == mediaJSON:
		x.endJSON()
	case !x.judged:
		x.fail("shape: the events ended without the reply")
	}
}

// endJSON judges a body that is one message.
func (x *exchange) endJSON() {
	switch kind, why := x.msg.end(x.reply); kind {
	case kindReply:
	case kindNotice:
		x.fail("shape: a notification in place of the reply")
	default:
		x.fail(why)
	}
}

// endPlain judges a page that is no message.
func (x *exchange) endPlain() {
	if want := x.msg.req.plain; !bytes.Contains(x.note, []byte(want)) {
		x.fail("shape: no " + strconv.Quote(want) + " in the page: " + excerpt(x.note))
		return
	}
	x.reply.set(OK, "")
}

// statusReason is the reason of a call that its status decided.
func (x *exchange) statusReason() string {
	reason := "status " + strconv.Itoa(x.status)
	if len(x.note) > 0 {
		reason += ": " + excerpt(x.note)
	}
	return reason
}

// close gives back what was lent.
func (x *exchange) close() {
	x.msg.release()
	x.reply, x.note = nil, nil
}

package server

import (
	"net/http"
	"time"
)

// patient bounds how long a client may take to send a request's body, and to take each piece of the answer. Package
// net/http has no bound of its own for either, not even for the body of a request that is refused unread, which it
// reads on to keep the connection.
func patient(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &patientWriter{ResponseWriter: w, control: http.NewResponseController(w), patience: patience}
		if r.ContentLength != 0 {
			_ = p.control.SetReadDeadline(time.Now().Add(patience))
		}
		_ = p.control.SetWriteDeadline(time.Now().Add(answerTimeout)) // the one of an earlier request may have passed
		next.ServeHTTP(p, r)
	})
}

// patientWriter counts the time for each piece of an answer from when it is written, however long it took to make.
type patientWriter struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

// Unwrap lets http.ResponseController find the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter. What is left in buffers is sent after the handler has returned.
func (w *patientWriter) WriteHeader(status int) {
	w.wait()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *patientWriter) Write(p []byte) (int, error) {
	w.wait()
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (w *patientWriter) Flush() {
	w.wait()
	_ = w.control.Flush()
}

func (w *patientWriter) wait() { _ = w.control.SetWriteDeadline(time.Now().Add(w.patience)) }

// endless returns the writer of an answer that has no end, such as a stream on which something is said now and then.
func endless(w http.ResponseWriter) http.ResponseWriter {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	if p, ok := w.(*patientWriter); ok {
		return p.ResponseWriter
	}
	return w
}

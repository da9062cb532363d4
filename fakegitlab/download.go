package fakegitlab

import "encoding/binary"

// gzipMagic is what the archives that GitLab sends begin with. Its second byte makes a text of it invalid UTF-8.
var gzipMagic = []byte{0x1f, 0x8b}

// download is the body of every export and archive. It is made once and shared, so that large ones take the stand-in
// next to nothing to send.
func (s *Server) download() []byte {
	s.downloadOnce.Do(func() {
		body := append(make([]byte, 0, s.opts.Download+8), gzipMagic...)
		for n := uint64(0); len(body) < s.opts.Download; n++ {
			body = binary.LittleEndian.AppendUint64(body, mix(s.opts.Seed, n))
		}
		s.downloadBody = body[:s.opts.Download]
	})
	return s.downloadBody
}

// DownloadBytes is how many bytes exports and archives have.
func (s *Server) DownloadBytes() int { return s.opts.Download }

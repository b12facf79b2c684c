package camera

import (
	"crypto/md5" // what network cameras ask for; nothing rests on it here
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"strings"
)

// digestAnswer answers a camera that asks for digest authentication (RFC
// 7616), as network cameras do by default. ok is false where it asks for
// something else. cnonce is the client's own random text.
func digestAnswer(challenges []string, uri, user, password, cnonce string) (header string, ok bool) {
	for _, c := range challenges {
		scheme, rest, _ := strings.Cut(c, " ")
		if !strings.EqualFold(scheme, "Digest") {
			continue
		}
		p := authParams(rest)
		var sum func() hash.Hash
		switch strings.ToUpper(p["algorithm"]) {
		case "", "MD5":
			sum = md5.New
		case "SHA-256":
			sum = sha256.New
		default:
			continue
		}
		h := func(parts ...string) string {
			s := sum()
			s.Write([]byte(strings.Join(parts, ":")))
			return hex.EncodeToString(s.Sum(nil))
		}
		// What is quoted back must not end its quotes.
		for _, v := range []string{p["realm"], p["nonce"], p["opaque"], user, uri} {
			if strings.ContainsAny(v, "\"\\\r\n") {
				return "", false
			}
		}
		ha1, ha2 := h(user, p["realm"], password), h(http.MethodGet, uri)
		const count = "00000001"
		response, extra := h(ha1, p["nonce"], ha2), "" // RFC 2069, of old cameras
		if qop := p["qop"]; qop != "" {
			if !hasToken(qop, "auth") {
				continue
			}
			response = h(ha1, p["nonce"], count, cnonce, "auth", ha2)
			extra = fmt.Sprintf(`, qop=auth, nc=%s, cnonce="%s"`, count, cnonce)
		}
		if p["algorithm"] != "" {
			extra += ", algorithm=" + strings.ToUpper(p["algorithm"])
		}
		if p["opaque"] != "" {
			extra += fmt.Sprintf(`, opaque="%s"`, p["opaque"])
		}
		return fmt.Sprintf(`Digest username="%s",realm="%s",nonce="%s",uri="%s",response="%s"%s`, user, p["realm"], p["nonce"], uri, response, extra), true
	}
	return "", false
}

func hasToken(list, want string) bool {
	for t := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(t), want) {
			return true
		}
	}
	return false
}

// authParams reads name=value pairs, quoted or not, separated by commas.
func authParams(s string) map[string]string {
	out := map[string]string{}
	for s != "" {
		name, rest, ok := strings.Cut(s, "=")
		if !ok {
			break
		}
		var value string
		if after, quoted := strings.CutPrefix(rest, `"`); quoted {
			value, s, _ = strings.Cut(after, `"`)
			_, s, _ = strings.Cut(s, ",")
		} else {
			value, s, _ = strings.Cut(rest, ",")
		}
		out[strings.ToLower(strings.Trim(name, " \t,"))] = strings.TrimSpace(value)
	}
	return out
}

// newCnonce is sixteen random letters.
func newCnonce() string { return strings.ToLower(rand.Text()[:16]) }

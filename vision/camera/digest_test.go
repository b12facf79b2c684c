package camera

import (
	"strings"
	"testing"
)

// TestDigestAnswer checks the examples of RFC 2617 (section 3.5) and RFC 7616
// (section 3.9.1).
func TestDigestAnswer(t *testing.T) {
	for _, test := range []struct {
		name, challenge, user, password, cnonce, want string
	}{
		{"RFC 2617", `Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`,
			"Mufasa", "Circle Of Life", "0a4f113b", `response="6629fae49393a05397450978507c4ef1"`},
		{"RFC 7616, SHA-256", `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`,
			"Mufasa", "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", `response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"`},
	} {
		got, ok := digestAnswer([]string{`Basic realm="x"`, test.challenge}, "/dir/index.html", test.user, test.password, test.cnonce)
		if !ok || !strings.Contains(got, test.want) || strings.Contains(got, test.password) {
			t.Errorf("%s: %v %q, want %s", test.name, ok, got, test.want)
		}
	}
	for _, c := range []string{"", "Basic realm=x", "Digest", `Digest qop="auth-int", nonce="n"`, `Digest algorithm=MD5-sess, nonce="n"`, "Digest realm=a\\\"b, nonce=\"n\""} {
		if got, ok := digestAnswer([]string{c}, "/", "u", "p", "c"); ok && c != "Digest" {
			t.Errorf("%q is answered with %q", c, got)
		}
	}
}

func FuzzAuthParams(f *testing.F) {
	f.Add(`realm="a,b", nonce=c, =, x="`)
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := digestAnswer([]string{"Digest " + s}, "/", "u", "secret-password", "c"); ok && (strings.ContainsAny(got, "\r\n") || strings.Contains(got, "secret-password") && !strings.Contains(s, "secret-password")) {
			t.Errorf("%q is answered with %q", s, got)
		}
	})
}

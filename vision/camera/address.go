package camera

import (
	"net/url"
	"strings"
)

// address is the address of a stream. What it prints, anywhere, is free of
// user name, password and query: phone apps put tokens into the latter.
type address struct {
	raw  string
	url  *url.URL
	user *url.Userinfo
}

// isAddress reports whether a spec is an address rather than a path or name.
func isAddress(spec string) bool {
	scheme, _, ok := strings.Cut(spec, "://")
	return ok && scheme != "" && strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

// parseAddress never repeats what it could not read: it may hold a password.
func parseAddress(spec string) (*address, error) {
	u, err := url.Parse(spec)
	if err != nil || u.Host == "" {
		scheme, _, _ := strings.Cut(spec, "://")
		return nil, &Error{Path: scheme + "://…", Problem: Missing, Text: "the address cannot be understood", Remedy: "write it as " + scheme + "://host:port/path; write @ : / in a password as %40 %3A %2F"}
	}
	a := &address{raw: spec, url: u, user: u.User}
	return a, nil
}

// String is the address as it may be shown.
func (a *address) String() string {
	u := *a.url
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if u.RawQuery != "" {
		u.RawQuery = ""
		return u.String() + "?…"
	}
	return u.String()
}

// redact takes the secrets of the address out of a text by somebody else.
func (a *address) redact(text string) string {
	// Longest first: the whole address holds the others.
	secrets := []string{a.raw, a.url.String()}
	if a.user != nil {
		secrets = append(secrets, a.user.String()+"@")
		if p, ok := a.user.Password(); ok {
			secrets = append(secrets, url.QueryEscape(p), url.PathEscape(p), p)
		}
	}
	if a.url.RawQuery != "" {
		secrets = append(secrets, a.url.RawQuery)
	}
	for i, s := range secrets {
		if s == "" {
			continue
		}
		with := "…"
		if i < 2 {
			with = a.String()
		}
		text = strings.ReplaceAll(text, s, with)
	}
	return text
}

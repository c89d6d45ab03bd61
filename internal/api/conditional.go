package api

import (
	"net/http"
	"strings"
)

// Tags are the entity tags of an If-Match or If-None-Match header. A nil *Tags
// means that the header was absent.
type Tags struct {
	every bool // the header is *
	tags  []string
}

// ETag renders a version as a strong entity tag.
func ETag(version string) string { return `"` + version + `"` }

// IfMatch returns the tags of the If-Match header, or nil if it is absent.
func (r *Request) IfMatch() *Tags { return parseTags(r.HTTP.Header.Values("If-Match")) }

// IfNoneMatch returns the tags of the If-None-Match header, or nil if it is
// absent.
func (r *Request) IfNoneMatch() *Tags { return parseTags(r.HTTP.Header.Values("If-None-Match")) }

// Match reports whether one of the tags is the version of an existing resource.
// The comparison is strong: a weak tag never matches. An absent header matches
// everything.
func (t *Tags) Match(version string) bool {
	if t == nil || t.every {
		return true
	}
	want := ETag(version)
	for _, tag := range t.tags {
		if tag == want {
			return true
		}
	}
	return false
}

// NoneMatch reports whether none of the tags is the version of an existing
// resource. The comparison is weak: a weak tag counts like a strong one. An
// absent header matches nothing.
func (t *Tags) NoneMatch(version string) bool {
	switch {
	case t == nil:
		return true
	case t.every:
		return false
	}
	want := ETag(version)
	for _, tag := range t.tags {
		if strings.TrimPrefix(tag, "W/") == want {
			return false
		}
	}
	return true
}

// Unmodified returns the 304 response if the If-None-Match header of a GET has
// the stored version, or nil if the resource must be sent.
func (r *Request) Unmodified(version string) *Response {
	if r.IfNoneMatch().NoneMatch(version) {
		return nil
	}
	return (&Response{Status: http.StatusNotModified}).WithETag(version)
}

func parseTags(lines []string) *Tags {
	if len(lines) == 0 {
		return nil
	}
	found := new(Tags)
	rest := strings.Join(lines, ",")
	for rest != "" {
		rest = strings.TrimLeft(rest, " \t,")
		if rest == "" {
			break
		}
		var tag string
		tag, rest = cutTag(rest)
		if tag == "*" {
			found.every = true
		}
		found.tags = append(found.tags, tag)
	}
	return found
}

// cutTag removes the first tag from a list. A comma inside quotes belongs to
// the tag.
func cutTag(text string) (tag, rest string) {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ',' && !quoted:
			return strings.TrimSpace(text[:i]), text[i+1:]
		}
	}
	return strings.TrimSpace(text), ""
}

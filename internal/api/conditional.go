package api

import (
	"net/http"
	"strings"
)

// Tags are the entity tags of an If-Match or If-None-Match header. A nil *Tags
// stands for a header that was not sent.
type Tags struct {
	every bool // the header is *
	tags  []string
}

// ETag renders a version as a strong entity tag.
func ETag(version string) string { return `"` + version + `"` }

// IfMatch returns the tags of the If-Match header, nil when there is none.
func (r *Request) IfMatch() *Tags { return parseTags(r.HTTP.Header.Values("If-Match")) }

// IfNoneMatch returns the tags of the If-None-Match header, nil when there is
// none.
func (r *Request) IfNoneMatch() *Tags { return parseTags(r.HTTP.Header.Values("If-None-Match")) }

// Match reports whether the tags name the version of an existing resource,
// compared exactly: a weak tag names nothing. No header matches everything.
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

// NoneMatch reports whether none of the tags names the version of an existing
// resource, a weak tag read like a strong one. No header names nothing.
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

// Unmodified returns the 304 answer when the If-None-Match header of a GET
// names the stored version, nil when the resource is to be answered.
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

// cutTag takes the first tag off a list. A comma inside quotes belongs to the
// tag.
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

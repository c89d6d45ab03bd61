package auth

import (
	"slices"
	"testing"
	"time"

	"github.com/quiresearch/quire/problem"
)

var noon = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)

func TestReadNewKeyRefusals(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string // code at path
	}{
		{``, []string{"request:body_required"}},
		{`[]`, []string{"request:value_invalid"}},
		{`{}`, []string{"auth:key:grants_required grants"}},
		{`{"grants":[]}`, []string{"auth:key:grants_required grants"}},
		{`{"grants":[null]}`, []string{"auth:key:permissions_required grants[0]"}},
		{`{"grants":[{"indexes":["x"]}]}`, []string{"auth:key:permissions_required grants[0]"}},
		{`{"grants":[{"permissions":[],"indexes":["x"]}]}`, []string{"auth:key:permissions_required grants[0]"}},
		{`{"grants":[{"role":"reader","permissions":[],"indexes":["x"]}]}`, []string{"auth:key:permissions_required grants[0]"}},
		{`{"grants":[{"role":"reader","permissions":null,"indexes":["x"]}]}`, nil},
		{`{"grants":[{"role":"reader"}]}`, []string{"auth:key:indexes_required grants[0].indexes"}},
		{`{"grants":[{"role":"reader","indexes":[]}]}`, []string{"auth:key:indexes_required grants[0].indexes"}},
		{`{"grants":[{"role":"READER","indexes":["x"]}]}`, []string{"auth:key:role_unknown grants[0].role"}},
		{`{"grants":[{"permissions":["search","Search"],"indexes":["x"]}]}`, []string{"auth:key:permission_unknown grants[0].permissions[1]"}},
		{`{"grants":[{"permissions":["keys.read"],"indexes":["x"]}]}`, []string{"auth:key:indexes_unsupported grants[0].indexes"}},
		{`{"grants":[{"role":"reader","indexes":["x","a*b"]}]}`, []string{"auth:key:index_pattern_invalid grants[0].indexes[1]"}},
		{`{"grants":[{"role":"reader","indexes":["x"]}],"expiresAt":"x"}`, []string{"auth:key:expiry_invalid expiresAt"}},
		{`{"grants":[{"role":"reader","indexes":["x"]}],"expiresAt":"2026-03-01T00:00:00"}`, []string{"auth:key:expiry_invalid expiresAt"}},
		{`{"grants":[{"role":"reader","indexes":["x"]}],"expiresAt":"9999-12-31T23:59:59-05:00"}`, []string{"auth:key:expiry_invalid expiresAt"}},
		{`{"grants":[{"role":"reader","indexes":["x"]}],"expiresAt":"2026-02-01T12:00:00Z"}`, []string{"auth:key:expiry_in_past expiresAt"}},
		{`{"grants":[{"role":"no"},{"role":"reader"}],"expiresAt":"x"}`,
			[]string{"auth:key:role_unknown grants[0].role", "auth:key:indexes_required grants[1].indexes", "auth:key:expiry_invalid expiresAt"}},
		{`{"grants":[{"role":"reader","indexes":["x"],"deny":true}]}`, []string{"request:property_unknown grants[0].deny"}},
		{`{"grants":[{"role":"reader","indexes":["x"]}],"expiresAt":12}`, []string{"request:value_invalid expiresAt"}},
	} {
		_, err := ReadNewKey([]byte(c.body), noon)
		var got []string
		for _, p := range problem.All(err) {
			text := p.Code.Name()
			if p.Path != "" {
				text += " " + p.Path
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
}

func TestReadNewKeyExpandsRoles(t *testing.T) {
	key, err := ReadNewKey([]byte(`{"description":"d","expiresAt":"2026-02-01T13:00:01+01:00","grants":[
		{"role":"reader","permissions":["search","keys.read"],"indexes":["a*"]},{"permissions":["keys.write"]}]}`), noon)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Permission{IndexesRead, KeysRead, Search}; !slices.Equal(key.Grants[0].Permissions, want) {
		t.Errorf("permissions %v", key.Grants[0].Permissions)
	}
	if len(key.Grants) != 2 || key.Grants[1].Indexes != nil || key.Description != "d" {
		t.Errorf("key %+v", key)
	}
	if !key.ExpiresAt.Equal(noon.Add(time.Second)) || key.ExpiresAt.Location() != time.UTC {
		t.Errorf("expires %v", key.ExpiresAt)
	}
	for _, blank := range []string{`""`, `"  "`, `null`} {
		key, err := ReadNewKey([]byte(`{"grants":[{"permissions":["keys.write"]}],"expiresAt":`+blank+`}`), noon)
		if err != nil || key.ExpiresAt != nil {
			t.Errorf("expiresAt %s: %v, %v", blank, key.ExpiresAt, err)
		}
	}
}

//go:build linux

package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk mounts its own file system. Without the right to mount, the test is
// skipped.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	directory := t.TempDir()
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, fmt.Sprintf("size=%dm", megabytes)); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(directory, 2) })
	return directory
}

// occupy leaves only left bytes of a disk free.
func occupy(t *testing.T, directory string, left int64) (free func()) {
	t.Helper()
	name := filepath.Join(directory, "filler")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(directory, &disk); err != nil {
		t.Fatal(err)
	}
	if size := int64(disk.Bavail)*disk.Bsize - left; size > 0 {
		if err := syscall.Fallocate(int(file.Fd()), 0, 0, size); err != nil {
			t.Fatal(err)
		}
	}
	file.Close()
	return func() { os.Remove(name) }
}

// F6, I18: a full disk refuses writes by name and leaves nothing of them behind;
// searches continue, and writes continue when there is space again.
func TestFullDiskRefusesWritesAndSearchesOn(t *testing.T) {
	directory := smallDisk(t, 64)
	p := start(t, directory, quick...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	held := make(map[string]int) // the acknowledged version of each key
	text := strings.Repeat("words of a document that take some room ", 40)
	write := func(i, version int) reply {
		got, err := c.send("PUT", fmt.Sprintf("/indexes/x/documents/k%d", i), asJSON, fmt.Sprintf(`{"version":%d,"title":%q}`, version, text))
		if err != nil {
			t.Fatalf("%v\n%s", err, tail(p.output.String()))
		}
		switch {
		case got.status == 204:
			held[fmt.Sprintf("k%d", i)] = version
		case got.code() != "storage:io_error" && got.code() != "storage:unknown":
			t.Fatalf("a full disk answers %s\n%s", got, tail(p.output.String()))
		}
		return got
	}
	for i := range 200 {
		write(i, 1)
	}
	c.must(t, "POST", "/admin/indexes/x/actions/commit", "")
	refused := 0
	for round, left := range []int64{0, 4 << 10, 64 << 10, 512 << 10, 2 << 20, 6 << 20, 16 << 10, 1 << 20} {
		free := occupy(t, directory, left)
		for i := range 60 {
			if write(i, 10+round).status != 204 {
				refused++
			}
		}
		// A commit may fail on a full disk; no request may break.
		for _, request := range [][3]string{
			{"POST", "/admin/indexes/x/actions/commit", ""}, {"PUT", "/admin/indexes/y", definition}, {"DELETE", "/admin/indexes/y", ""},
			{"PUT", "/admin/indexes/x/settings", `{"ranking":{}}`}, {"POST", "/admin/keys", `{"grants":[{"permissions":["search"],"indexes":["x"]}]}`},
			{"POST", "/indexes/x/documents/actions/delete", `{"keys":["none"]}`},
		} {
			got, err := c.send(request[0], request[1], asJSON, request[2])
			if err != nil || got.status >= 500 && got.code() != "storage:unknown" {
				t.Fatalf("%s %s with %d bytes free: %v %s\n%s", request[0], request[1], left, err, got, tail(p.output.String()))
			}
		}
		if got := c.must(t, "POST", "/indexes/x/search", `{"query":[{"type":"text","text":"words room"}],"total":"exact"}`); !strings.Contains(string(got.body), `"count":200`) {
			t.Fatalf("a search on a full disk: %s", got)
		}
		free()
		wait(t, 2*time.Minute, "writes are taken again", func() bool { return write(61, 10+round).status == 204 })
	}
	if refused == 0 {
		t.Fatal("nothing was refused")
	}
	t.Logf("%d writes refused", refused)
	verify := func(when string) {
		t.Helper()
		token := c.must(t, "POST", "/admin/indexes/x/actions/commit", "").token()
		found := c.list(t, "x", token)
		for key, version := range held {
			if !strings.Contains(string(found[key]), fmt.Sprintf(`"version":%d,`, version)) {
				t.Errorf("%s: %s is %.80s, acknowledged version %d", when, key, found[key], version)
			}
		}
		if len(found) != len(held) {
			t.Errorf("%s: %d documents, %d acknowledged", when, len(found), len(held))
		}
	}
	verify("running")
	p.kill()
	p.sound(t)
	check(t, directory)
	p = start(t, directory, quick...)
	c = newCaller(p)
	verify("after a kill")
	if err := p.terminate(40 * time.Second); err != nil {
		t.Fatal(err)
	}
	check(t, directory)
}

// F6: a node that is stopped and started on a full disk still answers.
func TestStartOnAFullDisk(t *testing.T) {
	directory := smallDisk(t, 32)
	p := start(t, directory, quick...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	c.must(t, "PUT", "/indexes/x/documents/a", `{"version":1}`)
	c.must(t, "POST", "/admin/indexes/x/actions/commit", "")
	c.must(t, "PUT", "/indexes/x/documents/b", `{"version":1}`)
	p.kill()
	free := occupy(t, directory, 0)
	p = start(t, directory, quick...)
	c = newCaller(p)
	if got := c.must(t, "POST", "/indexes/x/search", `{"total":"exact"}`); !strings.Contains(string(got.body), `"id":"a"`) {
		t.Errorf("search: %s", got)
	}
	if got, err := c.send("PUT", "/indexes/x/documents/c", asJSON, `{"version":1}`); err != nil || got.code() != "storage:io_error" {
		t.Errorf("write: %v %s", err, got)
	}
	free()
	wait(t, 2*time.Minute, "writes are taken again", func() bool {
		got, err := c.send("PUT", "/indexes/x/documents/c", asJSON, `{"version":1}`)
		return err == nil && got.status == 204
	})
	token := c.must(t, "POST", "/admin/indexes/x/actions/commit", "").token()
	if found := c.list(t, "x", token); len(found) != 3 {
		t.Errorf("documents: %v", found)
	}
	p.sound(t)
}

// F44: a node whose disk is full says so in its health, refuses writes by name, and
// takes them again without a restart.
func TestHealthFollowsTheRoomOfTheDisk(t *testing.T) {
	directory := smallDisk(t, 64)
	p := start(t, directory, quick...)
	c := newCaller(p)
	health := &caller{base: p.base, http: c.http}
	c.must(t, "PUT", "/admin/indexes/x", definition)
	c.must(t, "PUT", "/indexes/x/documents/1", `{"version":1}`)
	c.must(t, "POST", "/admin/indexes/x/actions/commit", "")
	says := func(status string) func() bool {
		return func() bool {
			got, err := health.send("GET", "/q/health", asJSON, "")
			return err == nil && strings.Contains(string(got.body), fmt.Sprintf(`{"name":"disk-room","status":%q}`, status))
		}
	}
	wait(t, time.Minute, "health reports free space", says("UP"))
	free := occupy(t, directory, 0)
	wait(t, 2*time.Minute, "health reports a full disk", says("DOWN"))
	got, err := c.send("PUT", "/indexes/x/documents/2", asJSON, `{"version":1}`)
	if err != nil || got.code() != "storage:io_error" {
		t.Errorf("a write on a full disk: %v %s", err, got)
	}
	if got := c.must(t, "POST", "/indexes/x/search", `{}`); !strings.Contains(string(got.body), `"count":1`) {
		t.Errorf("a search on a full disk: %s", got)
	}
	free()
	wait(t, 2*time.Minute, "health reports free space again", says("UP"))
	c.must(t, "PUT", "/indexes/x/documents/2", `{"version":1}`)
}

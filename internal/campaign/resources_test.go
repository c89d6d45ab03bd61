package campaign

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// F44: a node whose disk has no room says so in its health, refuses writes by name,
// and takes them again without a restart.
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
	wait(t, time.Minute, "health says that there is room", says("UP"))
	free := occupy(t, directory, 0)
	wait(t, 2*time.Minute, "health says that there is no room", says("DOWN"))
	got, err := c.send("PUT", "/indexes/x/documents/2", asJSON, `{"version":1}`)
	if err != nil || got.code() != "storage:io_error" {
		t.Errorf("a write without room: %v %s", err, got)
	}
	if got := c.must(t, "POST", "/indexes/x/search", `{}`); !strings.Contains(string(got.body), `"count":1`) {
		t.Errorf("a search without room: %s", got)
	}
	free()
	wait(t, 2*time.Minute, "health says that there is room again", says("UP"))
	c.must(t, "PUT", "/indexes/x/documents/2", `{"version":1}`)
}

// F44: a node with few descriptors answers while clients hold more connections than
// it can have.
func TestFewDescriptorsLeaveRoomForRequests(t *testing.T) {
	node := program("serve")
	// A process may raise its soft limit, so the shell lowers the hard one.
	command := exec.Command("sh", append([]string{"-c", `ulimit -n 128 && exec "$0" "$@"`, node.Path}, node.Args[1:]...)...)
	command.Env = node.Env
	p, err := launchAs(command, t.TempDir(), quick...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	// Of kept connections the node closes those that wait, perhaps as the next request
	// arrives: a client has to expect that, so each request gets its own.
	c := newCaller(p)
	c.http.Transport = &http.Transport{DisableKeepAlives: true}
	c.must(t, "PUT", "/admin/indexes/x", definition)
	for range 200 {
		idle, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
	}
	for i := range 50 {
		c.must(t, "PUT", fmt.Sprintf("/indexes/x/documents/%d", i), `{"version":1}`)
		c.must(t, "POST", "/indexes/x/search", `{}`)
	}
	c.must(t, "POST", "/admin/indexes/x/actions/commit", "")
	p.sound(t)
}

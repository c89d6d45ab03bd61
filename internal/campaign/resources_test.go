package campaign

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

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
	// The node closes kept connections that wait, perhaps as the next request
	// arrives. A client has to expect that, so each request gets its own
	// connection.
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

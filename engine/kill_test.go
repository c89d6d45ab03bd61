package engine

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/vfs"
)

// killDirectory turns the test binary into the process that is killed.
const killDirectory = "QUIRE_KILL_DIRECTORY"

// killCycles is the number of times the process is killed; QUIRE_KILL_CYCLES
// overrides it.
const killCycles = 8

// F1: a real process writes, commits and merges, and is killed at any time. Every
// write that it acknowledged is there, whole, and the files are sound.
func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	cycles := killCycles
	if text := os.Getenv("QUIRE_KILL_CYCLES"); text != "" {
		cycles, _ = strconv.Atoi(text)
	} else if testing.Short() {
		cycles = 3
	}
	root := t.TempDir()
	fs := vfs.OS(root)
	create(t, fs, books)
	acknowledged := make(map[string]int) // the version of each key
	started := make(map[string]int)
	writes := 0
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for cycle := range cycles {
		writes += runAndKill(t, root, time.Duration(50+random.IntN(250))*time.Millisecond, acknowledged, started)
		if _, err := Check(fs, "g"); err != nil {
			t.Fatalf("cycle %d: %v", cycle, err)
		}
		g := open(t, fs, manual)
		found := mustDocuments(t, g)
		for key, version := range acknowledged {
			content := found[key]
			if content == nil {
				t.Fatalf("cycle %d: %s version %d is gone", cycle, key, version)
			}
			held, _ := strconv.Atoi(strings.TrimPrefix(content["title"].(string), "version "))
			if held < version || held > started[key] || len(content["editions"].([]any)) != held%4+1 {
				t.Fatalf("cycle %d: %s is %v, acknowledged version %d, started %d", cycle, key, content, version, started[key])
			}
		}
		if err := g.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := Check(fs, "g"); err != nil {
			t.Fatalf("cycle %d, after recovery: %v", cycle, err)
		}
	}
	t.Logf("%d cycles: %d writes acknowledged to %d keys, 0 lost; checker clean %d times", cycles, writes, len(acknowledged), 2*cycles)
}

// runAndKill starts the writer, reads what it prints, and kills it after a while. A
// line is "start key version" before a write and "done key version" after its
// answer. It returns the number of answered writes.
func runAndKill(t *testing.T, root string, after time.Duration, acknowledged, started map[string]int) (writes int) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run", "TestBeKilled")
	command.Env = append(os.Environ(), killDirectory+"="+root)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	killed := false
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 1 && words[0] == "ready" {
			time.AfterFunc(after, func() { command.Process.Kill() })
			killed = true
			continue
		}
		if len(words) != 3 {
			continue
		}
		version, err := strconv.Atoi(words[2])
		if err != nil {
			continue
		}
		if words[0] == "start" {
			started[words[1]] = max(started[words[1]], version)
		} else if words[0] == "done" {
			acknowledged[words[1]] = max(acknowledged[words[1]], version)
			writes++
		}
	}
	command.Wait()
	if !killed {
		t.Fatal("the process never got ready")
	}
	return writes
}

// TestBeKilled is the process that is killed. Four writers have their own keys and
// increment the versions of their documents.
func TestBeKilled(t *testing.T) {
	root := os.Getenv(killDirectory)
	if root == "" {
		t.Skip("only as the process of TestKilledProcessLosesNothingAcknowledged")
	}
	g, err := Open(context.Background(), Storage{FS: vfs.OS(root), Directory: "g"},
		Options{MaxChanges: 40, MaxInterval: 20 * time.Millisecond, Memory: 1 << 16, Workers: 2, MinFree: -1})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	versions := make(map[string]int)
	view := g.Snapshot()
	found, err := documents(g, view)
	view.Release()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for key, content := range found {
		versions[key], _ = strconv.Atoi(strings.TrimPrefix(content["title"].(string), "version "))
	}
	fmt.Println("ready")
	done := make(chan struct{})
	for client := range 4 {
		own := make(map[string]int)
		for key, version := range versions {
			own[key] = version
		}
		go func() {
			random := rand.New(rand.NewPCG(uint64(client), uint64(time.Now().UnixNano())))
			for {
				key := fmt.Sprintf("c%d-%d", client, random.IntN(50))
				version := own[key] + 1
				own[key] = version
				fmt.Println("start", key, version)
				var editions []string
				for i := range version%4 + 1 {
					editions = append(editions, fmt.Sprintf(`{"isbn":"%d"}`, i))
				}
				text := fmt.Sprintf(`{"id":%q,"title":"version %d","editions":[%s]}`, key, version, strings.Join(editions, ","))
				s := g.WriteStream()
				if err := add(s, text); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				if _, err := s.Wait(t.Context()); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				fmt.Println("done", key, version)
			}
		}()
	}
	<-done
}

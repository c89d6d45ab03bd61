package campaign

import (
	"testing"
	"time"
)

// F1, F30, F36: processes killed or stopped at any moment under load.
func TestStoppedNodesLoseNothingAcknowledged(t *testing.T) {
	l := newLoad(t, *documents, quick...)
	kills := 0
	for range *cycles {
		isKill := l.random.IntN(5) > 0
		l.after(l.random.IntN(400), func() {
			if isKill {
				l.kill()
				kills++
				return
			}
			l.isOver.Store(true)
			if err := l.node.terminate(40 * time.Second); err != nil {
				t.Errorf("SIGTERM under load: %v\n%s", err, tail(l.node.output.String()))
			}
		})
		l.restart()
	}
	t.Logf("%d cycles: %d kills, %d clean stops; %s", *cycles, kills, *cycles-kills, l.verdict())
}

// A node that is killed again and again while it recovers loses nothing.
func TestNodesKilledWhileTheyRecover(t *testing.T) {
	l := newLoad(t, *documents, quick...)
	rounds := max(2, *cycles/3)
	for range rounds {
		l.after(20+l.random.IntN(100), l.kill)
		for range 3 {
			command := program("serve")
			command.Env = append(command.Env, "SERVICE_STORAGE_LOCAL_DIRECTORY="+l.directory, "SERVICE_HTTP_HOST=127.0.0.1", "SERVICE_HTTP_PORT=0",
				"SERVICE_AUTH_ROOT_KEY="+rootKey)
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			end := time.AfterFunc(time.Duration(l.random.IntN(120))*time.Millisecond, func() { _ = command.Process.Kill() })
			_ = command.Wait()
			end.Stop()
		}
		l.restart()
	}
	t.Logf("%d cycles: %d kills, %d of them in recovery; %s", rounds, 4*rounds, 3*rounds, l.verdict())
}

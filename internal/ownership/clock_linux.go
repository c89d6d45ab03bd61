package ownership

import (
	"time"

	"golang.org/x/sys/unix"
)

// bootTime is a clock that continues while the machine sleeps.
func bootTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return time.Since(started)
	}
	return time.Duration(now.Nano())
}

var started = time.Now()

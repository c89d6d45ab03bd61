//go:build !linux

package ownership

import "time"

// bootTime is a clock that never goes back.
func bootTime() time.Duration { return time.Since(started) }

var started = time.Now()

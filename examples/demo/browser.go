package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
)

// openBrowser opens a page if there is a browser and a display. Otherwise, and
// if it fails, the printed address is enough.
func openBrowser(ctx context.Context, page string) {
	program := ""
	switch {
	case runtime.GOOS == "darwin":
		program = "open"
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		program = "xdg-open"
	default:
		return
	}
	_ = exec.CommandContext(ctx, program, page).Run()
}

package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
)

// openBrowser shows a page where a browser and a display exist. Elsewhere, and
// when it fails, the printed address is enough.
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

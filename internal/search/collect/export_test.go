package collect

// AlwaysHelp wakes search threads for any work.
func (r *Runner) AlwaysHelp() { r.worthHelp = -1 }

package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/quiresearch/quire/internal/config"
)

type configCommand struct {
	Dev bool `help:"Show the values that serve --dev uses."`
}

// Run prints the configuration a node would start with, even if it is invalid.
func (c *configCommand) Run(s *surroundings) error {
	loaded, refusal := loadConfig(s, c.Dev)
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "VARIABLE\tVALUE\tSOURCE")
	for _, v := range loaded.Values {
		text := v.Text
		if text == "" {
			text = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", v.Variable.Name, text, v.Source)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if refusal == nil {
		logWarnings(s, loaded)
	}
	return refusal
}

// loadConfig reads the configuration. An invalid configuration is returned for
// printing, with an error that determines the exit code. Variables without
// effect are reported as well, because one may be the misspelled name of a
// missing variable.
func loadConfig(s *surroundings, dev bool) (*config.Config, error) {
	loaded, err := config.Load(s.environment, dev)
	if err != nil {
		logWarnings(s, loaded)
		return loaded, refusedError{fmt.Errorf("invalid configuration:\n%w", err)}
	}
	return loaded, nil
}

func logWarnings(s *surroundings, loaded *config.Config) {
	for _, warning := range loaded.Warnings {
		fmt.Fprintln(s.err, "warning:", warning)
	}
}

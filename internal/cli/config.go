package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/quiresearch/quire/internal/config"
)

type configCommand struct {
	Dev bool `help:"Show the values that serve --dev uses."`
}

// Run prints the configuration a node would start with, also when it is
// refused.
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

// loadConfig reads the configuration. One that is refused is returned for printing,
// with an error that names the exit code; what has no effect is reported as well,
// since it may be the misspelled name of what is missing.
func loadConfig(s *surroundings, dev bool) (*config.Config, error) {
	loaded, err := config.Load(s.environment, dev)
	if err != nil {
		logWarnings(s, loaded)
		return loaded, refusedError{fmt.Errorf("configuration refused:\n%w", err)}
	}
	return loaded, nil
}

func logWarnings(s *surroundings, loaded *config.Config) {
	for _, warning := range loaded.Warnings {
		fmt.Fprintln(s.err, "warning:", warning)
	}
}

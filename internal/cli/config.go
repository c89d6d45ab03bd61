package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/quiresearch/quire/internal/config"
)

type configCommand struct {
	Dev bool `help:"Show the values serve --dev would have."`
}

// Run prints the configuration a node would start with.
func (c *configCommand) Run(s *surroundings) error {
	loaded, err := config.Load(s.environment, c.Dev)
	if err != nil {
		return refusedError{fmt.Errorf("configuration refused:\n%w", err)}
	}
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
	for _, warning := range loaded.Warnings {
		fmt.Fprintln(s.err, "warning:", warning)
	}
	return nil
}

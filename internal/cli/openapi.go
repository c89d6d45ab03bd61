package cli

import (
	"github.com/quiresearch/quire/internal/api"
)

type openapiCommand struct {
	JSON bool `name:"json" help:"Print JSON instead of YAML."`
}

// Run prints the OpenAPI description that a node serves at /q/openapi.
func (c *openapiCommand) Run(s *surroundings) error {
	text, json, err := api.OpenAPI()
	if err != nil {
		return err
	}
	if c.JSON {
		text = append(json, '\n')
	}
	_, err = s.out.Write(text)
	return err
}

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// config is the part of an image that says how it is run.
type config struct {
	User         string              `json:"User"`
	ExposedPorts map[string]struct{} `json:"ExposedPorts"`
	Env          []string            `json:"Env"`
	Entrypoint   []string            `json:"Entrypoint"`
	Cmd          []string            `json:"Cmd"`
	WorkingDir   string              `json:"WorkingDir"`
	Labels       map[string]string   `json:"Labels"`
}

// promise is what the Dockerfile says of the image.
type promise struct {
	config config
	owner  int // of /data
}

var instruction = regexp.MustCompile(`(?m)^([A-Z]+) (.+)$`)

// readDockerfile reads the last stage of the Dockerfile, so that both images
// are run alike. An instruction it does not know is an error.
func readDockerfile(text string) (*promise, error) {
	_, last, found := strings.Cut(text, "\nFROM scratch\n")
	if !found {
		return nil, fmt.Errorf("read Dockerfile: no stage from scratch")
	}
	p := &promise{config: config{ExposedPorts: map[string]struct{}{}, Labels: map[string]string{},
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, WorkingDir: "/"}}
	for _, line := range instruction.FindAllStringSubmatch(last, -1) {
		word, rest := line[1], line[2]
		var err error
		switch word {
		case "COPY": // fill puts the same files there
		case "USER":
			p.config.User = rest
			user, _, _ := strings.Cut(rest, ":")
			p.owner, err = strconv.Atoi(user)
		case "ENV":
			p.config.Env = append(p.config.Env, rest)
		case "EXPOSE":
			p.config.ExposedPorts[rest+"/tcp"] = struct{}{}
		case "ENTRYPOINT":
			err = json.Unmarshal([]byte(rest), &p.config.Entrypoint)
		case "CMD":
			err = json.Unmarshal([]byte(rest), &p.config.Cmd)
		case "LABEL":
			name, value, _ := strings.Cut(rest, "=")
			p.config.Labels[name], err = strconv.Unquote(value)
		default:
			err = fmt.Errorf("the instruction %s is not understood here", word)
		}
		if err != nil {
			return nil, fmt.Errorf("read Dockerfile: %s %s: %w", word, rest, err)
		}
	}
	return p, nil
}

package reference

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/metrics"
)

const deployment = "../../deploy"

// Every series of the dashboard is offered by a node, with the same labels.
func TestTheDashboardShowsMetersThatExist(t *testing.T) {
	offered := make(map[string][]string)
	for _, meter := range metrics.Meters() {
		name := meter.PrometheusName()
		offered[name] = meter.Tags
		if meter.Kind == metrics.Timer {
			for _, ending := range []string{"_count", "_sum", "_max", "_bucket"} {
				offered[name+ending] = meter.Tags
			}
		}
	}
	content, err := os.ReadFile(filepath.Join(deployment, "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr         string `json:"expr"`
				LegendFormat string `json:"legendFormat"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(content, &dashboard); err != nil || len(dashboard.Panels) < 10 {
		t.Fatalf("%d panels, %v", len(dashboard.Panels), err)
	}
	series, labels := regexp.MustCompile(`service_[a-z_]+`), regexp.MustCompile(`{{(\w+)}}`)
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			found := series.FindAllString(target.Expr, -1)
			if len(found) == 0 {
				t.Errorf("%s: %s names no meter", panel.Title, target.Expr)
			}
			for _, name := range found {
				tags, ok := offered[name]
				if !ok {
					t.Errorf("%s: %s is not a meter", panel.Title, name)
				}
				for _, label := range labels.FindAllStringSubmatch(target.LegendFormat, -1) {
					if label[1] != "instance" && !strings.Contains(" "+strings.Join(tags, " ")+" ", " "+label[1]+" ") {
						t.Errorf("%s: %s has no label %s", panel.Title, name, label[1])
					}
				}
			}
		}
	}
}

// Every variable set by a file of the deployment is read by a node.
func TestTheDeploymentSetsVariablesThatExist(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(directory, "variables.md"))
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`\bSERVICE_[A-Z_]+`)
	seen := 0
	err = filepath.WalkDir(deployment, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		for _, name := range variable.FindAllString(string(content), -1) {
			seen++
			if !bytes.Contains(table, []byte("`"+name+"`")) {
				t.Errorf("%s: %s is not a variable", file, name)
			}
		}
		return err
	})
	if err != nil || seen < 10 {
		t.Errorf("%d variables, %v", seen, err)
	}
}

func TestTheComposeFileIsRead(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(deployment, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Build   string   `yaml:"build"`
			Volumes []string `yaml:"volumes"`
		} `yaml:"services"`
		Volumes map[string]any `yaml:"volumes"`
	}
	if err := yaml.Unmarshal(content, &compose); err != nil {
		t.Fatal(err)
	}
	node := compose.Services["quire"]
	if _, err := os.Stat(filepath.Join(deployment, node.Build, "Dockerfile")); err != nil {
		t.Error(err)
	}
	for _, volume := range node.Volumes {
		name, _, _ := strings.Cut(volume, ":")
		if _, ok := compose.Volumes[name]; !ok {
			t.Errorf("the volume %s is not declared", name)
		}
	}
}

// systemd validates the unit, which does not require the program to be
// installed.
func TestTheUnitIsVerified(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	content, err := os.ReadFile(filepath.Join(deployment, "quire.service"))
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "quire.service")
	if err := os.WriteFile(unit, bytes.Replace(content, []byte("/usr/local/bin/quire"), []byte("/bin/true"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", unit).CombinedOutput(); err != nil || bytes.Contains(out, []byte("Unknown key")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// By default systemd gives up a unit that starts five times within ten seconds. A
// node that starts while its bucket cannot be reached exits at once, so the pause
// must keep it below that.
func TestTheUnitIsRestartedUntilItStarts(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(deployment, "quire.service"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(content), "\nRestartSec=")
	text, _, _ := strings.Cut(after, "\n")
	if seconds, err := strconv.Atoi(text); err != nil || seconds < 3 {
		t.Errorf("RestartSec=%s: the unit is given up within seconds", text)
	}
}

func TestTheChartIsLinted(t *testing.T) {
	if _, err := exec.LookPath("helm"); err != nil {
		t.Skip("helm is not installed")
	}
	chart := filepath.Join(deployment, "helm/quire")
	several := []string{"--set", "replicas=3,bucket.enabled=true,bucket.url=https://s3.example.org,bucket.name=quire"}
	for _, arguments := range [][]string{{"lint", "--strict", chart}, {"template", "shop", chart}, append([]string{"template", "shop", chart}, several...)} {
		if out, err := exec.Command("helm", arguments...).CombinedOutput(); err != nil {
			t.Errorf("helm %s: %v\n%s", arguments[0], err, out)
		}
	}
	if out, err := exec.Command("helm", "template", "shop", chart, "--set", "replicas=3").CombinedOutput(); err == nil || !bytes.Contains(out, []byte("several replicas need a bucket")) {
		t.Errorf("several replicas without a bucket: %v\n%s", err, out)
	}
}

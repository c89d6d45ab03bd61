package metrics

import (
	"context"
	"fmt"
	"strings"
	"time"

	prometheusbridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
)

// PushOptions say where meters are pushed to.
type PushOptions struct {
	URL     string
	Step    time.Duration
	Headers map[string]string
}

// Push sends all meters to an OTLP collector at every step until ctx ends, and once
// more then. A collector that does not answer only costs meters.
func (s *Set) Push(ctx context.Context, o PushOptions) error {
	exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(o.URL), otlpmetrichttp.WithHeaders(o.Headers))
	if err != nil {
		return fmt.Errorf("metrics exporter for %s: %w", o.URL, err)
	}
	reader := metric.NewPeriodicReader(exporter, metric.WithInterval(o.Step),
		metric.WithProducer(named{prometheusbridge.NewMetricProducer(prometheusbridge.WithGatherer(s.registry))}))
	provider := metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(pushedResource()))
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := provider.Shutdown(last); err != nil {
		return fmt.Errorf("push the last meters to %s: %w", o.URL, err)
	}
	return nil
}

// named replaces the Prometheus names and units of the table's meters by those of
// the interface.
type named struct{ metric.Producer }

func (n named) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	scopes, err := n.Producer.Produce(ctx)
	for i := range scopes {
		for j := range scopes[i].Metrics {
			pushed := &scopes[i].Metrics[j]
			base, isMax := strings.CutSuffix(pushed.Name, "_max")
			m, ok := byPrometheusName[pushed.Name]
			if !ok && isMax { // of a timer
				m, ok = byPrometheusName[base]
				m.Name += ".max"
			}
			if ok {
				pushed.Name, pushed.Unit = m.Name, otlpUnit(m.Unit)
			}
		}
	}
	return scopes, err
}

// byPrometheusName finds meters of the table by their Prometheus name.
var byPrometheusName = func() map[string]Meter {
	all := make(map[string]Meter, len(table))
	for _, m := range table {
		all[m.PrometheusName()] = m
	}
	return all
}()

// otlpUnit returns a unit in the notation of UCUM: https://ucum.org/ucum.
func otlpUnit(unit string) string {
	switch unit {
	case "":
		return ""
	case "seconds":
		return "s"
	case "bytes":
		return "By"
	case "indexes":
		return "{index}"
	}
	return "{" + strings.TrimSuffix(unit, "s") + "}"
}

// pushedResource names the service whose meters are pushed; the environment may
// override the name.
func pushedResource() *resource.Resource {
	own := resource.NewSchemaless(attribute.String("service.name", "quire"))
	merged, err := resource.Merge(own, resource.Environment())
	if err != nil {
		return own
	}
	return merged
}

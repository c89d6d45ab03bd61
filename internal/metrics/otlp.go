package metrics

import (
	"context"
	"fmt"
	"time"

	prometheusbridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/metric"
)

// PushOptions say where meters are pushed to.
type PushOptions struct {
	URL     string
	Step    time.Duration
	Headers map[string]string
}

// Push sends all meters to an OTLP collector at every step until ctx ends,
// and once more then. A collector that does not answer costs meters, nothing
// else.
func (s *Set) Push(ctx context.Context, o PushOptions) error {
	exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(o.URL), otlpmetrichttp.WithHeaders(o.Headers))
	if err != nil {
		return fmt.Errorf("metrics exporter for %s: %w", o.URL, err)
	}
	reader := metric.NewPeriodicReader(exporter, metric.WithInterval(o.Step),
		metric.WithProducer(prometheusbridge.NewMetricProducer(prometheusbridge.WithGatherer(s.registry))))
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := provider.Shutdown(last); err != nil {
		return fmt.Errorf("push the last meters to %s: %w", o.URL, err)
	}
	return nil
}

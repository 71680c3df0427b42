// SPDX-License-Identifier: Apache-2.0

package wattfeedreceiver

import (
	"context"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	deadline = 20 * time.Second
	tick     = 10 * time.Millisecond
	// childVariable makes this test's own binary behave as an agent; its value says how.
	childVariable = "WATTFEED_TEST_CHILD"
	childStays    = "stays"
	childEnds     = "ends"
)

// TestMain is the agent that the tests start: it sends one point at its start and another when told to end.
func TestMain(m *testing.M) {
	behaviour := os.Getenv(childVariable)
	if behaviour == "" {
		os.Exit(m.Run())
	}
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	send(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), metrics("start", 1))
	os.Stderr.WriteString("level=info msg=measuring\n")
	if behaviour == childStays {
		<-terminated
		send(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), metrics("end", 2))
	}
	os.Exit(0)
}

// metrics is a request with all that must come through: resource, scope, schema, start, temporality.
func metrics(name string, joules float64) pmetric.Metrics {
	sent := pmetric.NewMetrics()
	resource := sent.ResourceMetrics().AppendEmpty()
	resource.Resource().Attributes().PutStr("host.id", "0123456789abcdef")
	resource.SetSchemaUrl("https://opentelemetry.io/schemas/1.44.0")
	scope := resource.ScopeMetrics().AppendEmpty()
	scope.Scope().SetName("wattfeed")
	metric := scope.Metrics().AppendEmpty()
	metric.SetName(name)
	metric.SetUnit("J")
	sum := metric.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	point := sum.DataPoints().AppendEmpty()
	point.SetStartTimestamp(pcommon.Timestamp(1_796_000_000_000_000_001))
	point.SetTimestamp(pcommon.Timestamp(1_796_000_001_000_000_002))
	point.SetDoubleValue(joules)
	point.Attributes().PutInt("process.pid", 4242)
	return sent
}

func send(target string, sent pmetric.Metrics) {
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if _, err := pmetricotlp.NewGRPCClient(connection).Export(ctx, pmetricotlp.NewExportRequestFromMetrics(sent)); err != nil {
		panic(err)
	}
}

// placed is a configuration in a folder of its own whose command is this test as an agent.
func placed(t *testing.T, behaviour string) *Config {
	t.Setenv(childVariable, behaviour)
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://192.0.2.1:4317") // must not reach the agent
	config := createDefaultConfig().(*Config)
	// A test's own temporary folder has a path that is too long for a socket.
	directory, err := os.MkdirTemp("", "wfr")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	config.Socket = filepath.Join(directory, "otlp.sock")
	config.AgentSocket = filepath.Join(directory, "agent.sock")
	config.Command = []string{os.Args[0]}
	config.RestartDelay = 50 * time.Millisecond
	require.NoError(t, config.Validate())
	return config
}

func started(t *testing.T, config *Config) (receiver.Metrics, *consumertest.MetricsSink) {
	sink := new(consumertest.MetricsSink)
	set := receivertest.NewNopSettings(componentType)
	running, err := NewFactory().CreateMetrics(context.Background(), set, config, sink)
	require.NoError(t, err)
	require.NoError(t, running.Start(context.Background(), componenttest.NewNopHost()))
	return running, sink
}

func names(sink *consumertest.MetricsSink) string {
	var all []string
	for _, got := range sink.AllMetrics() {
		all = append(all, got.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Name())
	}
	return strings.Join(all, " ")
}

func TestStartsTheAgentAndHandsItsMetricsOnUnchanged(t *testing.T) {
	running, sink := started(t, placed(t, childStays))
	require.Eventually(t, func() bool { return sink.DataPointCount() == 1 }, deadline, tick)
	require.Equal(t, metrics("start", 1), sink.AllMetrics()[0])
	require.NoError(t, running.Shutdown(context.Background()))
	require.Equal(t, "start end", names(sink), "what the agent sends when it is told to end is still taken")
}

func TestStartsTheAgentAgainWhenItEnds(t *testing.T) {
	running, sink := started(t, placed(t, childEnds))
	require.Eventually(t, func() bool { return sink.DataPointCount() >= 3 }, deadline, tick)
	require.NoError(t, running.Shutdown(context.Background()))
}

func TestJoinsAnAgentThatRunsAndTakesItsPlaceWhenItEnds(t *testing.T) {
	config := placed(t, childStays)
	other, err := net.Listen("unix", config.AgentSocket)
	require.NoError(t, err)
	looks := make(chan struct{}, 1_000)
	go func() {
		for {
			if connection, err := other.Accept(); err == nil {
				_ = connection.Close()
				looks <- struct{}{}
			} else {
				return
			}
		}
	}()
	running, sink := started(t, config)
	for range 3 {
		<-looks
	}
	send(endpoint(config), metrics("other", 3))
	require.Equal(t, "other", names(sink))
	require.NoError(t, other.Close())
	require.Eventually(t, func() bool { return names(sink) == "other start" }, deadline, tick)
	require.NoError(t, running.Shutdown(context.Background()))
}

func TestStartsNoAgentWithoutACommand(t *testing.T) {
	config := placed(t, childStays)
	config.Command = nil
	running, sink := started(t, config)
	send(endpoint(config), metrics("other", 3))
	require.Equal(t, "other", names(sink))
	require.NoError(t, running.Shutdown(context.Background()))
}

func TestKillsAnAgentThatDoesNotEnd(t *testing.T) {
	config := placed(t, childStays)
	config.Command = []string{"/bin/sh", "-c", "trap '' TERM; echo deaf >&2; sleep 1000"}
	config.StopTimeout = 200 * time.Millisecond
	running, _ := started(t, config)
	time.Sleep(config.StopTimeout)
	begun := time.Now()
	require.NoError(t, running.Shutdown(context.Background()))
	require.Less(t, time.Since(begun), deadline)
}

func TestStartFailsAndSaysHowToMendIt(t *testing.T) {
	config := placed(t, childStays)
	config.Command = []string{"/nonexistent/wattfeed", "run"}
	err := newAgent(config, receivertest.NewNopSettings(componentType).Logger).
		runOnce(context.Background(), componenttest.NewNopHost())
	require.ErrorContains(t, err, "install wattfeed, or set receivers::wattfeed::command")
}

func TestAgentEnvironmentSendsNowhereElse(t *testing.T) {
	config := createDefaultConfig().(*Config)
	environment := agentEnvironment([]string{
		"PATH=/bin", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=x", "OTEL_METRICS_EXPORTER=none",
		"OTEL_RESOURCE_ATTRIBUTES=a=b",
	}, config)
	require.Equal(t, []string{
		"PATH=/bin", "OTEL_RESOURCE_ATTRIBUTES=a=b", "OTEL_METRICS_EXPORTER=otlp",
		"OTEL_EXPORTER_OTLP_ENDPOINT=unix:///run/wattfeed/otlp.sock", "OTEL_EXPORTER_OTLP_INSECURE=true",
		"OTEL_METRIC_EXPORT_INTERVAL=10000",
	}, environment)
}

// SPDX-License-Identifier: Apache-2.0

package wattfeedreceiver

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestDefaultsAreValid(t *testing.T) {
	require.NoError(t, createDefaultConfig().(*Config).Validate())
}

func TestValidateSaysAllMistakesAtOnce(t *testing.T) {
	config := &Config{Socket: "otlp.sock", AgentSocket: "/" + strings.Repeat("a", unixPathMax), Command: []string{""}}
	err := config.Validate()
	for _, mistake := range []string{"socket \"otlp.sock\"", "agent_socket", "command", "collection_interval", "restart_delay"} {
		require.ErrorContains(t, err, mistake)
	}
	config = createDefaultConfig().(*Config)
	config.AgentSocket = config.Socket
	require.ErrorContains(t, config.Validate(), "are one path")
}

func TestSocketAdmitsItsOwnerOnly(t *testing.T) {
	config := placed(t, childStays)
	config.Command = nil
	running, _ := started(t, config)
	info, err := os.Stat(config.Socket)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(socketMode), info.Mode().Perm())
	require.NoError(t, running.Shutdown(context.Background()))
}

func TestReplacesTheSocketOfACollectorThatWasKilled(t *testing.T) {
	config := placed(t, childStays)
	config.Command = nil
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: config.Socket, Net: "unix"})
	require.NoError(t, err)
	dead.SetUnlinkOnClose(false)
	require.NoError(t, dead.Close())
	running, sink := started(t, config)
	send(endpoint(config), metrics("other", 3))
	require.Equal(t, 1, sink.DataPointCount())
	require.NoError(t, running.Shutdown(context.Background()))
}

func TestLeavesAloneWhatIsNotItsOwn(t *testing.T) {
	config := placed(t, childStays)
	start := func() error {
		running, err := NewFactory().CreateMetrics(
			context.Background(), receivertest.NewNopSettings(componentType), config, consumertest.NewNop())
		require.NoError(t, err)
		return running.Start(context.Background(), componenttest.NewNopHost())
	}
	require.NoError(t, os.WriteFile(config.Socket, []byte("mine"), 0o600))
	require.ErrorContains(t, start(), "no socket")
	require.NoError(t, os.Remove(config.Socket))
	live, err := net.Listen("unix", config.Socket)
	require.NoError(t, err)
	defer live.Close()
	require.ErrorContains(t, start(), "another Collector receives there")
}

func TestAgentsLogIsRepeatedLineByLineAndBounded(t *testing.T) {
	core, logged := observer.New(zap.InfoLevel)
	log := &lineLogger{log: zap.New(core)}
	for _, part := range []string{"one\ntw", "o\n", strings.Repeat("x", lineBytesMax+1)} {
		written, err := log.Write([]byte(part))
		require.NoError(t, err)
		require.Len(t, part, written)
	}
	var lines []string
	for _, entry := range logged.All() {
		lines = append(lines, entry.Message)
	}
	require.Equal(t, []string{"agent: one", "agent: two", "agent: " + strings.Repeat("x", lineBytesMax+1)}, lines)
}

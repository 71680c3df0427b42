// SPDX-License-Identifier: Apache-2.0

package wattfeedreceiver

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/component"
)

// unixPathMax is what fits into sun_path of a unix socket's address with its closing zero, unix(7).
const unixPathMax = 107

// Config of the receiver. An empty command never starts an agent: one that runs already must be told to
// send to Socket.
type Config struct {
	// Socket is where the agent's OTLP arrives, a path.
	Socket string `mapstructure:"socket"`
	// Command starts the agent: the program and its arguments.
	Command []string `mapstructure:"command"`
	// AgentSocket is the socket on which a running agent answers its viewers. While somebody answers
	// there, none is started: two measurers on a host would count everything twice.
	AgentSocket string `mapstructure:"agent_socket"`
	// CollectionInterval is how often a started agent sends.
	CollectionInterval time.Duration `mapstructure:"collection_interval"`
	// RestartDelay is the wait before an agent that ended is started again; it doubles up to a minute
	// while the agent does not stay.
	RestartDelay time.Duration `mapstructure:"restart_delay"`
	// StopTimeout is how long a started agent may take to send its last window when the Collector ends.
	StopTimeout time.Duration `mapstructure:"stop_timeout"`
}

func createDefaultConfig() component.Config {
	return &Config{
		Socket:             "/run/wattfeed/otlp.sock",
		Command:            []string{"wattfeed", "run"},
		AgentSocket:        "/run/wattfeed/agent.sock",
		CollectionInterval: 10 * time.Second,
		RestartDelay:       2 * time.Second,
		StopTimeout:        10 * time.Second,
	}
}

// Validate returns all mistakes at once.
func (c *Config) Validate() error {
	var mistakes []error
	for key, path := range map[string]string{"socket": c.Socket, "agent_socket": c.AgentSocket} {
		if !filepath.IsAbs(path) || len(path) > unixPathMax {
			mistakes = append(mistakes, fmt.Errorf(
				"%s %q: not an absolute path of at most %d bytes", key, path, unixPathMax))
		}
	}
	if c.Socket == c.AgentSocket {
		mistakes = append(mistakes, errors.New("socket and agent_socket are one path: the agent listens on the second itself"))
	}
	if len(c.Command) > 0 && c.Command[0] == "" {
		mistakes = append(mistakes, errors.New("command: the program's name is empty; use [] to start no agent"))
	}
	if c.CollectionInterval < time.Second {
		mistakes = append(mistakes, fmt.Errorf("collection_interval %v: less than the agent's window of 1s", c.CollectionInterval))
	}
	if c.RestartDelay <= 0 || c.StopTimeout <= 0 {
		mistakes = append(mistakes, errors.New("restart_delay and stop_timeout must be positive"))
	}
	return errors.Join(mistakes...)
}

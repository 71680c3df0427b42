// SPDX-License-Identifier: Apache-2.0

package wattfeedreceiver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"
)

const (
	restartDelayMax = time.Minute
	// stayed is how long an agent must have run for its end not to lengthen the next wait.
	stayed = time.Minute
	// lineBytesMax is where a line of the agent's log is cut: it must not fill the Collector's memory.
	lineBytesMax = 16 * 1024
)

// agent keeps one agent running on this host: its own child, or none while another one answers.
type agent struct {
	config *Config
	log    *zap.Logger
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func newAgent(config *Config, log *zap.Logger) *agent {
	return &agent{config: config, log: log, cancel: func() {}}
}

func (a *agent) start(host component.Host) {
	if len(a.config.Command) == 0 {
		a.log.Info("starts no agent: waits for one that sends here", zap.String("endpoint", endpoint(a.config)))
		return
	}
	var running context.Context
	running, a.cancel = context.WithCancel(context.Background())
	a.done.Go(func() { a.keepRunning(running, host) })
}

func (a *agent) stop() {
	a.cancel()
	a.done.Wait()
}

// keepRunning joins or starts, for ever. The thread is locked because the kernel sends a child's death
// signal when the thread that made it ends, not its process.
func (a *agent) keepRunning(running context.Context, host component.Host) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	delay := a.config.RestartDelay
	joined := false
	for running.Err() == nil {
		if answers(a.config.AgentSocket) {
			if !joined {
				a.log.Info("joins the agent that runs on this host; it must send to the endpoint",
					zap.String("agent_socket", a.config.AgentSocket), zap.String("endpoint", endpoint(a.config)))
			}
			joined = true
			wait(running, a.config.RestartDelay)
			continue
		}
		joined = false
		begun := time.Now()
		err := a.runOnce(running, host)
		if running.Err() != nil {
			return
		}
		if time.Since(begun) > stayed {
			delay = a.config.RestartDelay
		}
		a.log.Error("the agent ended; starts it again", zap.Error(err), zap.Duration("after", delay))
		componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(err))
		wait(running, delay)
		delay = min(2*delay, restartDelayMax)
	}
}

// runOnce runs the agent until it ends or is told to. Never nil: an agent does not end by itself.
func (a *agent) runOnce(running context.Context, host component.Host) error {
	program := a.config.Command[0]
	command := exec.CommandContext(running, program, a.config.Command[1:]...)
	command.Env = agentEnvironment(os.Environ(), a.config)
	// An agent must not outlive a Collector that was killed: it would hold the host's one place.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = a.config.StopTimeout
	command.Stderr = &lineLogger{log: a.log}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w; install wattfeed, or set receivers::wattfeed::command", program, err)
	}
	a.log.Info("started the agent", zap.Strings("command", a.config.Command), zap.Int("pid", command.Process.Pid))
	componentstatus.ReportStatus(host, componentstatus.NewEvent(componentstatus.StatusOK))
	if err := command.Wait(); err != nil {
		return fmt.Errorf("run %s: %w", program, err)
	}
	return errors.New("run " + program + ": it ended by itself")
}

// lineLogger repeats the agent's log as lines of the Collector's.
type lineLogger struct {
	log  *zap.Logger
	rest []byte
}

func (l *lineLogger) Write(text []byte) (int, error) {
	l.rest = append(l.rest, text...)
	for {
		line, rest, isWhole := bytes.Cut(l.rest, []byte{'\n'})
		if !isWhole && len(l.rest) <= lineBytesMax {
			return len(text), nil
		}
		l.log.Info("agent: " + string(line))
		l.rest = rest
	}
}

func endpoint(config *Config) string { return "unix://" + config.Socket }

// agentEnvironment is the Collector's own less what would send the agent's metrics elsewhere.
func agentEnvironment(own []string, config *Config) []string {
	environment := make([]string, 0, len(own)+4)
	for _, pair := range own {
		if !strings.HasPrefix(pair, "OTEL_EXPORTER_OTLP_") && !strings.HasPrefix(pair, "OTEL_METRIC") {
			environment = append(environment, pair)
		}
	}
	return append(environment,
		"OTEL_METRICS_EXPORTER=otlp",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint(config),
		"OTEL_EXPORTER_OTLP_INSECURE=true",
		"OTEL_METRIC_EXPORT_INTERVAL="+strconv.FormatInt(config.CollectionInterval.Milliseconds(), 10))
}

func wait(running context.Context, duration time.Duration) {
	select {
	case <-running.Done():
	case <-time.After(duration):
	}
}

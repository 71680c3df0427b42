// SPDX-License-Identifier: Apache-2.0

package wattfeedreceiver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/receiver"
	"go.uber.org/zap"
)

const (
	// answerTimeout bounds a connect(2) to a local socket whose owner may hang.
	answerTimeout = time.Second
	// socketMode lets only the owner and root send: a point names every process of the host.
	socketMode    = 0o600
	directoryMode = 0o755
)

type wattfeedReceiver struct {
	config *Config
	log    *zap.Logger
	server receiver.Metrics
	agent  *agent
}

// Start listens first, so that the agent's first export finds somebody.
func (r *wattfeedReceiver) Start(ctx context.Context, host component.Host) error {
	if err := makeRoomFor(r.config.Socket); err != nil {
		return err
	}
	if err := r.server.Start(ctx, host); err != nil {
		return fmt.Errorf("listen on %s: %w", r.config.Socket, err)
	}
	if err := os.Chmod(r.config.Socket, socketMode); err != nil {
		return errors.Join(fmt.Errorf("listen on %s: %w", r.config.Socket, err), r.server.Shutdown(ctx))
	}
	r.agent.start(host)
	return nil
}

// Shutdown ends the agent before the server: its last window is still taken.
func (r *wattfeedReceiver) Shutdown(ctx context.Context) error {
	r.agent.stop()
	return r.server.Shutdown(ctx)
}

// makeRoomFor makes the socket's directory and removes the socket of a Collector that was killed. One that
// answers, and anything that is no socket, is left alone.
func makeRoomFor(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), directoryMode); err != nil {
		return fmt.Errorf("make a directory for %s: %w", path, err)
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listen on %s: %w", path, err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("listen on %s: a file is there that is no socket; remove it or set receivers::wattfeed::socket", path)
	}
	if answers(path) {
		return fmt.Errorf("listen on %s: another Collector receives there; set receivers::wattfeed::socket", path)
	}
	return os.Remove(path)
}

func answers(path string) bool {
	connection, err := net.DialTimeout("unix", path, answerTimeout)
	if err != nil {
		return false
	}
	_ = connection.Close()
	return true
}

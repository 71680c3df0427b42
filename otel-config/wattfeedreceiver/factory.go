// SPDX-License-Identifier: Apache-2.0

// Package wattfeedreceiver lets a Collector have the wattfeed agent as one of its receivers: it starts
// the agent, or joins one that runs, takes its OTLP on a unix socket and hands the metrics on unchanged.
// The agent measures in its own process, with its own privileges; this is only its socket and its nurse.
package wattfeedreceiver

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confignet"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

var componentType = component.MustNewType("wattfeed")

// NewFactory makes the factory that a Collector's build names.
func NewFactory() receiver.Factory {
	return receiver.NewFactory(componentType, createDefaultConfig,
		receiver.WithMetrics(createMetrics, component.StabilityLevelAlpha))
}

func createMetrics(ctx context.Context, set receiver.Settings, config component.Config, next consumer.Metrics) (receiver.Metrics, error) {
	own := config.(*Config)
	server, err := newOtlpServer(ctx, set, own.Socket, next)
	if err != nil {
		return nil, fmt.Errorf("receive OTLP on %s: %w", own.Socket, err)
	}
	return &wattfeedReceiver{
		config: own,
		log:    set.Logger,
		server: server,
		agent:  newAgent(own, set.Logger),
	}, nil
}

// newOtlpServer is the Collector's own OTLP receiver on a unix socket: decoding, back pressure and its
// self-metrics are the same as of any other OTLP.
func newOtlpServer(ctx context.Context, set receiver.Settings, socket string, next consumer.Metrics) (receiver.Metrics, error) {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	config.Protocols.HTTP = configoptional.None[otlpreceiver.HTTPConfig]()
	grpc := config.Protocols.GRPC.GetOrInsertDefault()
	grpc.NetAddr.Transport = confignet.TransportTypeUnix
	grpc.NetAddr.Endpoint = socket
	// A factory refuses an id of another type; the name keeps two of ours apart.
	set.ID = component.NewIDWithName(factory.Type(), idName(set.ID))
	return factory.CreateMetrics(ctx, set, config, next)
}

func idName(id component.ID) string {
	if id.Name() == "" {
		return componentType.String()
	}
	return componentType.String() + "_" + id.Name()
}

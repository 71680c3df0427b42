// SPDX-License-Identifier: Apache-2.0
/** A fleet, the gateway Collector as shipped, and a Prometheus behind it. */
import { freePort } from './collector-process.js';
import { Fleet, type FleetShape } from './fleet.js';
import { PrometheusProcess } from './prometheus-process.js';
import { microjoulesIn } from './received.js';
import { startCollector, type ShippedCollector } from './shipped-collector.js';
import { untilDefined } from './until.js';

const SETTLE_DEADLINE_MILLIS = 60_000;
const ENERGY = 'wattfeed_pod_energy_joules_total{wattfeed_domain="package"}';
/** No rules: their samples are of now, and a fleet's may be late. */
const PROMETHEUS_CONFIG = 'storage: { tsdb: { out_of_order_time_window: 30m } }\n';

export interface RunningFleet {
  readonly fleet: Fleet;
  readonly collector: ShippedCollector;
  readonly prometheus: PrometheusProcess;
  /** Resolves when all nodes' last windows are in Prometheus. */
  readonly settle: () => Promise<void>;
  readonly microjoulesByPod: () => Promise<ReadonlyMap<string, bigint>>;
  readonly stop: () => Promise<void>;
}

export const startFleet = async (shape: Omit<FleetShape, 'endpoint'>): Promise<RunningFleet> => {
  const prometheus = await PrometheusProcess.start({ 'prometheus.yml': PROMETHEUS_CONFIG });
  const port = await freePort();
  const collector = await startCollector({
    configs: ['gateway.yaml'],
    env: {
      WATTFEED_GATEWAY_ENDPOINT: `127.0.0.1:${String(port)}`,
      WATTFEED_GATEWAY_HEALTH: `127.0.0.1:${String(await freePort())}`,
      WATTFEED_REMOTE_WRITE: `${prometheus.url}/api/v1/write`,
    },
  });
  const fleet = new Fleet({ ...shape, endpoint: `http://127.0.0.1:${String(port)}` });
  const microjoulesByPod = async (): Promise<ReadonlyMap<string, bigint>> => {
    const samples = await prometheus.query(`sum by (k8s_pod_uid) (${ENERGY})`);
    return new Map(
      samples.map(({ labels, value }) => [labels['k8s_pod_uid'] ?? '', microjoulesIn(value)]),
    );
  };
  const total = (): bigint => [...fleet.burned.values()].reduce((sum, one) => sum + one, 0n);
  return {
    fleet,
    collector,
    prometheus,
    microjoulesByPod,
    settle: async () => {
      await untilDefined(
        'all joules to be in Prometheus',
        async () => {
          const found = [...(await microjoulesByPod()).values()];
          return found.reduce((sum, one) => sum + one, 0n) >= total() || undefined;
        },
        { deadlineMillis: SETTLE_DEADLINE_MILLIS, everyMillis: 500 },
      );
    },
    stop: async () => {
      await fleet.shutdown();
      await collector.stop();
      await prometheus.dispose();
    },
  };
};

// SPDX-License-Identifier: Apache-2.0
/**
 * From a process in a pod's control group to a pod's name in Prometheus: the agent finds the ids, the
 * Collector of prometheus.yaml asks a Kubernetes API for the names. The API is a stand-in, the rest is real.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentPlace,
  startAgent,
  stopAgent,
  type AgentProcess,
} from '../../support/agent-process.js';
import { freePort } from '../../support/collector-process.js';
import { CgroupTree, hierarchiesHere } from '../../support/kernel/cgroup-tree.js';
import { buildLoads, startLoad, type Load } from '../../support/kernel/load.js';
import { KubernetesApi } from '../../support/kubernetes-api.js';
import { PrometheusProcess, type Sample } from '../../support/prometheus-process.js';
import { startCollector, type ShippedCollector } from '../../support/shipped-collector.js';
import { untilDefined } from '../../support/until.js';

/** Of CPU time, each container: some joules. */
const BURN_MILLIS = 1_000;
const NODE = 'worker-7';
const UID = '5f32d849-6210-4886-a48d-e0d90e1d0206';
const WEB = 'a'.repeat(64);
const SIDECAR = 'b'.repeat(64);
const POD_SLICE = `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`;

describe('a pod on a node with the Collector of prometheus.yaml', () => {
  const [here] = hierarchiesHere();
  const base = `/wattfeed-test-${String(process.pid)}`;
  const tree = new CgroupTree(here?.directory ?? '');
  const place = agentPlace();
  const loads: Load[] = [];
  let api: KubernetesApi;
  let prometheus: PrometheusProcess;
  let collector: ShippedCollector;
  let agent: AgentProcess;

  const inContainer = async (id: string): Promise<void> => {
    const path = `${base}${POD_SLICE}/cri-containerd-${id}.scope`;
    tree.make(path);
    const load = await startLoad('burn', [BURN_MILLIS], { cgroupProcs: [tree.procsOf(path)] });
    loads.push(load);
  };
  const found = async (expr: string): Promise<readonly Sample[]> =>
    untilDefined(
      `series of ${expr}`,
      async () => {
        const samples = await prometheus.query(expr);
        return samples.length > 0 ? samples : undefined;
      },
      { deadlineMillis: 40_000, everyMillis: 250 },
    );

  beforeAll(async () => {
    buildLoads();
    api = await KubernetesApi.start([
      {
        uid: UID,
        name: 'web-6d4cf56db6-x2x9p',
        namespace: 'shop',
        nodeName: NODE,
        replicaSet: 'web-6d4cf56db6',
        containers: [
          { name: 'web', id: WEB },
          { name: 'sidecar', id: SIDECAR },
        ],
      },
    ]);
    prometheus = await PrometheusProcess.start();
    const port = await freePort();
    collector = await startCollector({
      configs: ['prometheus.yaml'],
      env: {
        KUBECONFIG: api.kubeconfig(),
        KUBE_NODE_NAME: NODE,
        WATTFEED_KUBE_AUTH: 'kubeConfig',
        WATTFEED_OTLP_ENDPOINT: `127.0.0.1:${String(port)}`,
        WATTFEED_HEALTH_ENDPOINT: `127.0.0.1:${String(await freePort())}`,
        WATTFEED_REMOTE_WRITE: `${prometheus.url}/api/v1/write`,
      },
    });
    await inContainer(WEB);
    await inContainer(SIDECAR);
    agent = await startAgent(place, {
      flags: [`--accounting-cgroup-hierarchy=${here?.hierarchy ?? 'auto'}`],
      env: {
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
        OTEL_RESOURCE_ATTRIBUTES: `host.name=${NODE}`,
      },
    });
    await Promise.all(loads.map((load) => load.act()));
  }, 80_000);

  afterAll(async () => {
    await stopAgent(agent);
    for (const load of loads) await load.stop();
    tree.removeAll();
    await collector.stop();
    await prometheus.dispose();
    api.stop();
    place.remove();
  });

  it('has a series with its name, namespace and deployment', async () => {
    const [pod] = await found(`wattfeed_pod_energy_joules_total{k8s_pod_uid="${UID}"}`);
    expect(pod?.labels).toMatchObject({
      host_name: NODE,
      k8s_namespace_name: 'shop',
      k8s_pod_name: 'web-6d4cf56db6-x2x9p',
      k8s_deployment_name: 'web',
      wattfeed_domain: 'package',
    });
  });

  it('has a series for each of its containers, by name', async () => {
    const names = await untilDefined(
      'both containers',
      async () => {
        const samples = await prometheus.query(
          `wattfeed_container_energy_joules_total{k8s_pod_uid="${UID}"} > 0`,
        );
        return samples.length < 2 ? undefined : samples.map(({ labels }) => labels);
      },
      { deadlineMillis: 40_000, everyMillis: 250 },
    );
    expect(
      new Map(names.map((labels) => [labels['container_id'], labels['k8s_container_name']])),
    ).toEqual(
      new Map([
        [WEB, 'web'],
        [SIDECAR, 'sidecar'],
      ]),
    );
  });

  it('is one row of what the dashboards and bills sum up by name', async () => {
    const [power] = await found(
      'sum by (k8s_namespace_name, k8s_pod_name) (wattfeed_pod_energy_joules_total{k8s_pod_name!=""}) > 0',
    );
    expect(power?.labels).toEqual({
      k8s_namespace_name: 'shop',
      k8s_pod_name: 'web-6d4cf56db6-x2x9p',
    });
  });

  it('leaves what is in no pod as it is', async () => {
    const [window] = await found('wattfeed_window_count_total');
    expect(window?.labels).toMatchObject({ host_name: NODE });
    expect(Object.keys(window?.labels ?? {}).filter((name) => name.startsWith('k8s_pod'))).toEqual(
      [],
    );
  });

  it('asked the API server for the pods of its node, and for nothing else', () => {
    expect(api.requests.filter((request) => !request.includes('/api/v1/pods'))).toEqual([]);
    const pods = api.requests.filter((request) => request.includes('/api/v1/pods'));
    expect(pods.length).toBeGreaterThan(0);
    for (const request of pods)
      expect(decodeURIComponent(request)).toContain(`spec.nodeName=${NODE}`);
  });
});

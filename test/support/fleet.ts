// SPDX-License-Identifier: Apache-2.0
/**
 * Many nodes in one process: each with a real exporter and a ledger that burns what the fleet tells it. The
 * fleet keeps its own account of what each pod burned, on whichever nodes.
 */
import { ExportingAgent } from './exporting-agent.js';
import type { WorkloadTotals } from '../../receiver/model/ledger-view.js';
import { microjoules, nanos } from '../../receiver/model/units.js';
import { MovingLedger, type MovingProcess } from './moving-ledger.js';

export interface FleetShape {
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly processesPerPod: number;
  /** Pods that are on another node at every tick. */
  readonly travellers: number;
  readonly endpoint: string;
  readonly intervalMillis: number;
}

interface Node {
  readonly agent: ExportingAgent;
  readonly pods: readonly { readonly uid: string; readonly processes: readonly MovingProcess[] }[];
  readonly travelling: readonly MovingProcess[];
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

export const podUid = (pod: number): string => `${hex(pod, 8)}-0000-4000-8000-000000000000`;

/** As the systemd driver of Kubernetes with containerd lays it. */
const podPath = (pod: number): string =>
  `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${podUid(pod).replaceAll('-', '_')}.slice` +
  `/cri-containerd-${hex(pod, 64)}.scope`;

/** The nodes began a moment ago: no point may lie in the future. */
const AGE_MILLIS = 1_000;
const EXPORT_TIMEOUT_MILLIS = 10_000;
/** Joules of different sizes, so that no two pods come to one sum by chance. */
const burnOf = (pod: number, tick: number): bigint => BigInt(400_003 + pod * 7 + tick * 1_009);

/** Every control group is a pod's; the ledger's own identities are tested elsewhere. */
class PodLedger extends MovingLedger {
  readonly podUids = new Map<bigint, string>();

  override readonly workloads: MovingLedger['workloads'] = (level) =>
    level === 'pod' ? [...this.podUids].map(([group, uid]) => this.#pod(group, uid)) : [];

  #pod(group: bigint, uid: string): WorkloadTotals {
    const sums = this.groups.get(group)?.sums ?? { package: 0n, dram: 0n, cpu: 0n };
    return {
      key: uid,
      facts: { _tag: 'pod', pod: { system: 'kubernetes', uid, qos: 'burstable' } },
      energy: { package: microjoules(sums.package), dram: microjoules(sums.dram) },
      cpuNanos: nanos(sums.cpu),
      seriesStartUnixMillis: this.startUnixMillis,
      isExited: false,
    };
  }
}

export class Fleet {
  readonly nodes: readonly Node[];
  readonly burned = new Map<string, bigint>();
  #tick = 0;

  constructor(readonly shape: FleetShape) {
    this.nodes = Array.from({ length: shape.nodes }, (_, index) => this.#node(index));
  }

  #node(index: number): Node {
    const { endpoint, intervalMillis, podsPerNode, processesPerPod, travellers, nodes } =
      this.shape;
    const ledger = new PodLedger(Date.now() - AGE_MILLIS);
    const agent = new ExportingAgent({
      endpoint,
      ledger,
      hostName: `node-${String(index)}`,
      machineId: hex(index + 1, 32),
      environment: {
        OTEL_METRIC_EXPORT_INTERVAL: String(intervalMillis),
        OTEL_METRIC_EXPORT_TIMEOUT: String(Math.min(intervalMillis, EXPORT_TIMEOUT_MILLIS)),
      },
    });
    let pid = 1_000;
    let group = 0n;
    const begin = (pod: number, processes: number): { uid: string; processes: MovingProcess[] } => {
      group += 1n;
      const path = podPath(pod);
      const uid = podUid(pod);
      ledger.podUids.set(group, uid);
      agent.ledger.groups.set(group, {
        path,
        sums: { package: 0n, dram: 0n, cpu: 0n },
      });
      const begun = Array.from({ length: processes }, () => {
        pid += 1;
        const process = agent.ledger.begin(pid, group, `worker-${String(pid)}`);
        process.identity = { ...process.identity, cgroupPath: path };
        return process;
      });
      return { uid, processes: begun };
    };
    const pods = Array.from({ length: podsPerNode }, (_, pod) =>
      begin(index * podsPerNode + pod, processesPerPod),
    );
    const travelling = Array.from(
      { length: travellers },
      (_, pod) => begin(nodes * podsPerNode + pod, 1).processes,
    ).flat();
    return { agent, pods, travelling };
  }

  #burn(node: Node, process: MovingProcess, uid: string, amount: bigint): void {
    node.agent.ledger.burn(process, amount);
    this.burned.set(uid, (this.burned.get(uid) ?? 0n) + amount);
  }

  /** A window on every node. */
  tick(): void {
    this.#tick += 1;
    const { nodes, podsPerNode } = this.shape;
    for (const [index, node] of this.nodes.entries()) {
      for (const [pod, { uid, processes }] of node.pods.entries())
        for (const process of processes)
          this.#burn(node, process, uid, burnOf(index * podsPerNode + pod, this.#tick));
    }
    for (let traveller = 0; traveller < this.shape.travellers; traveller += 1) {
      const node = this.nodes[(this.#tick + traveller) % nodes];
      const process = node?.travelling[traveller];
      if (node === undefined || process === undefined) continue;
      const pod = nodes * podsPerNode + traveller;
      this.#burn(node, process, podUid(pod), burnOf(pod, this.#tick));
    }
    const now = Date.now();
    for (const { agent } of this.nodes) {
      agent.ledger.nowUnixMillis = now - 200;
      agent.closeWindow();
    }
  }

  /** Sends what every node has now; a few at a time, as a Collector restart would bring them. */
  async flush(atATime = 20): Promise<void> {
    for (let first = 0; first < this.nodes.length; first += atATime) {
      const some = this.nodes.slice(first, first + atATime);
      await Promise.all(some.map(({ agent }) => agent.running.flush()));
    }
  }

  /** What any node said to its operator. */
  said(): readonly string[] {
    return this.nodes.flatMap(({ agent }) => agent.said);
  }

  async shutdown(): Promise<void> {
    for (const { agent } of this.nodes) await agent.running.shutdown(1_000)();
  }
}

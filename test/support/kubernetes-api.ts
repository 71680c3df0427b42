// SPDX-License-Identifier: Apache-2.0
/**
 * The part of a Kubernetes API server that a Collector's k8s_attributes asks for: pods, listed and
 * watched, over plain HTTP, as JSON.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PodOnNode {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly nodeName: string;
  /** Name of the replica set that made it, e.g. `web-6d4cf56db6`. */
  readonly replicaSet: string;
  readonly containers: readonly { readonly name: string; readonly id: string }[];
}

const podObject = (pod: PodOnNode): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: pod.name,
    namespace: pod.namespace,
    uid: pod.uid,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'pod-template-hash': pod.replicaSet.split('-').at(-1) },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: pod.replicaSet,
        uid: `rs-${pod.uid}`,
        controller: true,
      },
    ],
  },
  spec: {
    nodeName: pod.nodeName,
    containers: pod.containers.map(({ name }) => ({ name, image: `registry/${name}:1` })),
  },
  status: {
    phase: 'Running',
    podIP: '10.0.0.9',
    startTime: '2026-01-01T00:00:00Z',
    containerStatuses: pod.containers.map(({ name, id }) => ({
      name,
      image: `registry/${name}:1`,
      imageID: '',
      containerID: `containerd://${id}`,
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
    })),
  },
});

interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly objects: readonly object[];
}

/** Ends the initial events of a watch that asked for them; the client waits for it. */
const initialEventsEnd = ({ kind, apiVersion }: Kind): object => ({
  type: 'BOOKMARK',
  object: {
    kind,
    apiVersion,
    metadata: { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
});

export class KubernetesApi {
  readonly requests: string[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'wattfeed-kube-'));
  readonly #server: Server;

  private constructor(private readonly pods: readonly PodOnNode[]) {
    this.#server = createServer((request, response) => {
      this.#answer(request, response);
    });
  }

  static async start(pods: readonly PodOnNode[]): Promise<KubernetesApi> {
    const api = new KubernetesApi(pods);
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  /** A kubeconfig that leads here. */
  kubeconfig(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const path = join(this.#directory, 'config');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${String(port)}` } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  #kindOf(url: URL): Kind | undefined {
    const node = /spec\.nodeName=(\S+)/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1];
    const pods = this.pods.filter(({ nodeName }) => node === undefined || nodeName === node);
    if (url.pathname === '/api/v1/pods')
      return { kind: 'Pod', apiVersion: 'v1', objects: pods.map(podObject) };
    return undefined;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://localhost');
    this.requests.push(`${request.method ?? ''} ${url.pathname}${url.search}`);
    const kind = this.#kindOf(url);
    response.setHeader('Content-Type', 'application/json');
    if (kind === undefined) {
      response.statusCode = 404;
      response.end(
        JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }),
      );
      return;
    }
    if (url.searchParams.get('watch') === 'true' || url.searchParams.get('watch') === '1') {
      this.#watch(kind, url.searchParams.get('sendInitialEvents') === 'true', response);
      return;
    }
    const list = {
      kind: `${kind.kind}List`,
      apiVersion: kind.apiVersion,
      metadata: { resourceVersion: '1' },
      items: kind.objects,
    };
    response.end(JSON.stringify(list));
  }

  /** Nothing changes any more: the stream stays open and silent. */
  #watch(kind: Kind, sendsInitialEvents: boolean, response: ServerResponse): void {
    response.flushHeaders();
    if (!sendsInitialEvents) return;
    const events = [
      ...kind.objects.map((object) => ({ type: 'ADDED', object })),
      initialEventsEnd(kind),
    ];
    for (const event of events) response.write(`${JSON.stringify(event)}\n`);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#directory, { recursive: true });
  }
}

// SPDX-License-Identifier: Apache-2.0
/**
 * Proves the README's Kubernetes path as far as a machine without a cluster can: its commands are typed
 * against a real kube-apiserver over a real etcd, with the admission of a cluster (schema, defaults, pod
 * security, service accounts, RBAC). No kubelet runs: that the pod starts is not proven here.
 *
 *   node --import tsx scripts/prove-kubernetes.ts
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readmeCommands } from './lib/readme-block.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const READY_MILLIS = 120_000;
const NAMESPACE = 'wattfeed';

/** All but the one that waits for a kubelet. */
const typedCommands = (): readonly string[] =>
  readmeCommands('Kubernetes').filter((line) => !line.includes('rollout status'));

const daemonSet = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.looseObject({ containers: z.array(z.looseObject({ name: z.string() })) }),
    }),
  }),
});

class Cluster {
  readonly #environment: NodeJS.ProcessEnv;

  constructor(folder: string, program: string) {
    // One program under two names: it looks at its first argument, and a shell at the name.
    const kubectl = join(folder, 'kubectl');
    writeFileSync(kubectl, `#!/bin/sh\nexec ${program} kubectl "$@"\n`, { mode: 0o755 });
    this.#environment = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      KUBECONFIG: join(folder, 'kubeconfig'),
      HOME: folder,
    };
  }

  /** As a user types it, in the repository's root. */
  type(command: string): string {
    console.log(`$ ${command}`);
    const output = execFileSync('sh', ['-ec', command], {
      cwd: ROOT,
      env: this.#environment,
      encoding: 'utf8',
    });
    process.stdout.write(output.replaceAll(/^/gm, '  ').trimEnd() + '\n');
    return output;
  }

  kubectl(
    args: readonly string[],
    input = '',
  ): { readonly code: number | null; readonly text: string } {
    const { status, stdout, stderr } = spawnSync('kubectl', args, {
      env: this.#environment,
      input,
      encoding: 'utf8',
    });
    return { code: status, text: `${stdout}${stderr}` };
  }

  isReady(): boolean {
    return this.kubectl(['get', '--raw', '/readyz']).code === 0;
  }
}

const failures: string[] = [];
const prove = (claim: string, holds: boolean, detail = ''): void => {
  console.log(
    `${holds ? 'ok    ' : 'FAILED'} ${claim}${holds || detail === '' ? '' : `: ${detail.trim()}`}`,
  );
  if (!holds) failures.push(claim);
};

/** The pod that the DaemonSet's controller would make, asked for without making it. */
const podOf = (cluster: Cluster, namespace: string): string => {
  const { text } = cluster.kubectl(['-n', NAMESPACE, 'get', 'daemonset', 'wattfeed', '-o', 'json']);
  const { metadata, spec } = daemonSet.parse(JSON.parse(text)).spec.template;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'wattfeed-proof', namespace, labels: metadata.labels },
    spec,
  });
};

const proveAdmission = (cluster: Cluster): void => {
  const create = ['create', '--dry-run=server', '-o', 'name', '-f', '-'];
  const admitted = cluster.kubectl(create, podOf(cluster, NAMESPACE));
  prove('the pod is admitted where the manifests put it', admitted.code === 0, admitted.text);
  // The control: were pod security not in force, this one would be admitted, too.
  const strict = 'strict';
  cluster.kubectl(['create', 'namespace', strict]);
  cluster.kubectl(['-n', strict, 'create', 'serviceaccount', 'wattfeed']);
  cluster.kubectl(['label', 'namespace', strict, 'pod-security.kubernetes.io/enforce=baseline']);
  const refused = cluster.kubectl(create, podOf(cluster, strict));
  const reasons = ['host namespaces', 'hostPath'].every((reason) => refused.text.includes(reason));
  prove(
    'and refused at the level baseline, for hostPID and hostPath',
    refused.code !== 0 && reasons,
    refused.text,
  );
};

const mayDo = (cluster: Cluster, verb: string, resource: string): boolean =>
  cluster.kubectl([
    'auth',
    'can-i',
    verb,
    resource,
    '--all-namespaces',
    `--as=system:serviceaccount:${NAMESPACE}:wattfeed`,
  ]).code === 0;

const proveRights = (cluster: Cluster, hasCollector: boolean): void => {
  const who = hasCollector ? 'the Collector' : 'the agent';
  prove(
    `${who} may ${hasCollector ? '' : 'not '}list pods`,
    mayDo(cluster, 'list', 'pods') === hasCollector,
  );
  for (const [verb, resource] of [
    ['get', 'secrets'],
    ['list', 'nodes'],
    ['create', 'pods'],
    ['delete', 'pods'],
  ] as const)
    prove(`${who} may not ${verb} ${resource}`, !mayDo(cluster, verb, resource));
};

const proveIn = async (folder: string, program: string): Promise<void> => {
  const cluster = new Cluster(folder, program);
  const deadline = performance.now() + READY_MILLIS;
  while (!existsSync(join(folder, 'kubeconfig')) || !cluster.isReady()) {
    if (performance.now() > deadline) throw new Error(`the API server is not ready: ${folder}/log`);
    await sleep(500);
  }
  cluster.type('kubectl version');
  const [withCollector = '', base = '', ...others] = typedCommands();
  if (others.length > 0) throw new Error(`unknown commands in README.md: ${others.join('; ')}`);
  cluster.type(base);
  proveAdmission(cluster);
  proveRights(cluster, false);
  cluster.type(withCollector);
  proveAdmission(cluster);
  proveRights(cluster, true);
  const again = cluster.type(withCollector);
  prove('typed again, nothing changes', !/created|configured/.test(again), again);
  const { code, text } = cluster.kubectl([
    '-n',
    NAMESPACE,
    'get',
    'daemonset',
    'wattfeed',
    '-o',
    'yaml',
  ]);
  prove('the DaemonSet is stored', code === 0, text);
};

const main = async (): Promise<number> => {
  const program = execFileSync('bash', [join(ROOT, 'scripts/build-kubernetes.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'wattfeed-kubernetes-'));
  const log = join(folder, 'log');
  const server = spawn('sh', ['-c', `exec ${program} serve ${folder} >${log} 2>&1`], {
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => server.once('close', resolve));
  try {
    await proveIn(folder, program);
  } catch (error) {
    console.log(existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(-20).join('\n') : '');
    throw error;
  } finally {
    server.kill('SIGTERM');
    await Promise.race([ended, sleep(10_000)]);
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(failures.length === 0 ? 'proven' : `not proven: ${failures.join('; ')}`);
  return failures.length === 0 ? 0 : 1;
};

process.exitCode = await main();

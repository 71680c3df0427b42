// SPDX-License-Identifier: Apache-2.0
/** Against a server that speaks the published interface: runtime.v1, real gRPC over a unix socket. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Server,
  ServerCredentials,
  loadPackageDefinition,
  status,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { loadSync, type AnyDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../receiver/host/clock.js';
import { CriNames } from '../../../receiver/identity/cri-names.js';
import { resolveCgroup } from '../../../receiver/identity/resolve-cgroup.js';
import { ID, UID, UID_ } from '../../support/cgroup-corpus.js';
import { manualClock } from '../../support/manual-clock.js';
import { untilDefined } from '../../support/until.js';

/** The interface as it is published, with fields that we do not read. */
const PROTO = `
syntax = "proto3";
package runtime.v1;
service RuntimeService {
  rpc ListPodSandbox(ListPodSandboxRequest) returns (ListPodSandboxResponse) {}
  rpc ListContainers(ListContainersRequest) returns (ListContainersResponse) {}
}
message PodSandboxMetadata { string name = 1; string uid = 2; string namespace = 3; uint32 attempt = 4; }
enum PodSandboxState { SANDBOX_READY = 0; SANDBOX_NOTREADY = 1; }
message PodSandbox {
  string id = 1; PodSandboxMetadata metadata = 2; PodSandboxState state = 3; int64 created_at = 4;
  map<string, string> labels = 5; map<string, string> annotations = 6; string runtime_handler = 7;
}
message ListPodSandboxRequest {}
message ListPodSandboxResponse { repeated PodSandbox items = 1; }
message ContainerMetadata { string name = 1; uint32 attempt = 2; }
message ImageSpec { string image = 1; }
enum ContainerState { CONTAINER_CREATED = 0; CONTAINER_RUNNING = 1; }
message Container {
  string id = 1; string pod_sandbox_id = 2; ContainerMetadata metadata = 3; ImageSpec image = 4;
  string image_ref = 5; ContainerState state = 6; int64 created_at = 7; map<string, string> labels = 8;
}
message ListContainersRequest {}
message ListContainersResponse { repeated Container containers = 1; }
`;

const isService = (definition: AnyDefinition | undefined): definition is ServiceDefinition =>
  definition !== undefined && !('format' in definition);

const POD = `kubepods.slice/kubepods-pod${UID_}.slice`;
const SANDBOX = ID.B;

let base = '';
let server: Server;
let calls = 0;
let isBroken = false;
const socketPath = (): string => join(base, 'cri.sock');

const answer =
  (value: object) =>
  (_: unknown, reply: sendUnaryData<object>): void => {
    calls += 1;
    if (isBroken) reply({ code: status.UNAVAILABLE, details: 'broken' });
    else reply(null, value);
  };

const startServer = async (): Promise<void> => {
  writeFileSync(join(base, 'api.proto'), PROTO);
  const loaded = loadSync(join(base, 'api.proto'), {});
  expect(loadPackageDefinition(loaded)).toHaveProperty('runtime');
  const service = loaded['runtime.v1.RuntimeService'];
  if (!isService(service)) throw new Error('no service');
  server = new Server();
  server.addService(service, {
    ListPodSandbox: answer({
      items: [
        {
          id: SANDBOX,
          metadata: { name: 'web-7f9c', uid: UID, namespace: 'shop', attempt: 0 },
          state: 'SANDBOX_READY',
          createdAt: 1,
          labels: { app: 'web' },
        },
      ],
    }),
    ListContainers: answer({
      containers: [
        {
          id: ID.A,
          podSandboxId: SANDBOX,
          metadata: { name: 'nginx\u001b[2J', attempt: 3 },
          image: { image: 'nginx' },
          state: 'CONTAINER_RUNNING',
          createdAt: 2,
          labels: { tier: 'front' },
        },
      ],
    }),
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix://${socketPath()}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
};

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'wattfeed-cri-'));
  calls = 0;
  isBroken = false;
  await startServer();
});
afterEach(() => {
  server.forceShutdown();
  rmSync(base, { recursive: true });
});

describe('CriNames', () => {
  const begin = (path = socketPath()) => {
    const clock = manualClock();
    const said: string[] = [];
    const names = new CriNames({
      socketPath: path,
      // gRPC's deadlines are on the wall clock.
      clock: { ...clock, unixMillis: systemClock.unixMillis },
      onFailure: (cause) => said.push(cause),
    });
    return { names, clock, said };
  };
  const container = resolveCgroup(`/${POD}/cri-containerd-${ID.A}.scope`);
  const sandbox = resolveCgroup(`/${POD}/cri-containerd-${SANDBOX}.scope`);

  it('gives containers and pods their names, always with the same answer', async () => {
    const { names } = begin();
    try {
      expect(names.named(container)).toBe(container);
      names.refresh();
      const named = await untilDefined('the names', () => {
        const now = names.named(container);
        return now === container ? undefined : now;
      });
      expect(named.container).toMatchObject({ id: ID.A, name: 'nginx\\x1B[2J' });
      expect(named.pod).toMatchObject({ uid: UID, name: 'web-7f9c', namespace: 'shop' });
      expect(names.named(container)).toBe(named);
      expect(names.named(sandbox)).toMatchObject({ isHelper: true });
    } finally {
      names.close();
    }
  });

  it('leaves alone what is no container of a pod', () => {
    const { names } = begin();
    const docker = resolveCgroup(`/docker/${ID.A}`);
    expect(names.named(docker)).toBe(docker);
    names.close();
  });

  it('asks again at most every 30 s, and every second while a name is missing', async () => {
    const { names, clock } = begin();
    try {
      names.refresh();
      await untilDefined('two calls', () => (calls === 2 ? true : undefined));
      await untilDefined('the names', () =>
        names.named(container) === container ? undefined : true,
      );
      clock.pass(29_000);
      names.refresh();
      expect(calls).toBe(2);
      names.named(resolveCgroup(`/${POD}/cri-containerd-${'9'.repeat(64)}.scope`));
      names.refresh();
      await untilDefined('two calls more', () => (calls === 4 ? true : undefined));
    } finally {
      names.close();
    }
  });

  it('says once that nobody answers, and goes on', async () => {
    const { names, clock, said } = begin();
    try {
      isBroken = true;
      for (let round = 0; round < 3; round += 1) {
        const before = calls;
        await untilDefined('a call', () => {
          clock.pass(31_000);
          names.refresh();
          return calls > before ? true : undefined;
        });
      }
      await untilDefined('a word', () => (said.length > 0 ? true : undefined));
      expect(said).toHaveLength(1);
      expect(names.named(container)).toBe(container);
      isBroken = false;
      await untilDefined('the names', () => {
        clock.pass(31_000);
        names.refresh();
        return names.named(container) === container ? undefined : true;
      });
    } finally {
      names.close();
    }
  });
});

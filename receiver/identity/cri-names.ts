// SPDX-License-Identifier: Apache-2.0
/**
 * Names of containers and pods from the runtime's own socket, where `identity.cri_socket` is set. Read
 * in full at most every 30 s, and sooner (but not within a second) when a container has no name yet.
 * The agent never waits for it: until a name is known there is none.
 */
import { Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import type { Clock } from '../host/clock.js';
import { escapeText } from '../model/escape.js';
import { millisToNanos } from '../model/units.js';
import type { CgroupIdentity } from '../model/workload.js';
import { containersSchema, criService, sandboxesSchema } from './cri-protocol.js';

export interface CriNamesOptions {
  /** Absolute path of the unix socket. */
  readonly socketPath: string;
  readonly clock: Clock;
  /** Told once until it works again. */
  readonly onFailure: (cause: string) => void;
}

interface PodName {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

const FULL_EVERY_NANOS = millisToNanos(30_000);
const MISS_EVERY_NANOS = millisToNanos(1_000);
const CALL_MILLIS = 2_000;

export class CriNames {
  readonly #client: Client;
  readonly #service = criService();
  #containers: ReadonlyMap<string, string> = new Map();
  #pods: ReadonlyMap<string, PodName> = new Map();
  #sandboxes: ReadonlySet<string> = new Set();
  /** By the identity that the path gave, so that the same one is always answered. */
  #named = new WeakMap<CgroupIdentity, CgroupIdentity>();
  #isMissing = false;
  #isReading = false;
  #hasFailed = false;
  #readNanos: bigint | undefined;

  constructor(private readonly options: CriNamesOptions) {
    this.#client = new Client(`unix://${options.socketPath}`, credentials.createInsecure());
  }

  /** With the names as far as they are known; a pod's sandbox is a helper, not a container. */
  named(identity: CgroupIdentity): CgroupIdentity {
    const { container, pod } = identity;
    if (container === undefined || pod?.system !== 'kubernetes') return identity;
    const known = this.#named.get(identity);
    if (known !== undefined) return known;
    const isSandbox = this.#sandboxes.has(container.id);
    const name = this.#containers.get(container.id);
    const podName = this.#pods.get(pod.uid);
    if (podName === undefined || (name === undefined && !isSandbox)) {
      this.#isMissing = true;
      return identity;
    }
    const named: CgroupIdentity = {
      ...identity,
      container: { ...container, name },
      pod: { ...pod, name: podName.name, namespace: podName.namespace },
      isHelper: identity.isHelper || isSandbox,
    };
    this.#named.set(identity, named);
    return named;
  }

  /** To be called once per window; returns at once. */
  refresh(): void {
    const now = this.options.clock.monotonicNanos();
    const every = this.#isMissing ? MISS_EVERY_NANOS : FULL_EVERY_NANOS;
    if (this.#isReading || (this.#readNanos !== undefined && now - this.#readNanos < every)) return;
    this.#isReading = true;
    this.#readNanos = now;
    void this.#read().finally(() => {
      this.#isReading = false;
    });
  }

  close(): void {
    this.#client.close();
  }

  async #read(): Promise<void> {
    try {
      const [containers, sandboxes] = await Promise.all([
        this.#call('ListContainers'),
        this.#call('ListPodSandbox'),
      ]);
      this.#take(containersSchema.parse(containers), sandboxesSchema.parse(sandboxes));
      this.#hasFailed = false;
    } catch (error) {
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      this.options.onFailure(error instanceof Error ? error.message : String(error));
    }
  }

  #take(
    { containers }: ReturnType<typeof containersSchema.parse>,
    { items }: ReturnType<typeof sandboxesSchema.parse>,
  ): void {
    this.#containers = new Map(
      containers.flatMap(({ id, metadata }) =>
        metadata === null ? [] : [[id, escapeText(metadata.name)] as const],
      ),
    );
    this.#sandboxes = new Set(items.map(({ id }) => id));
    this.#pods = new Map(
      items.flatMap(({ metadata }) =>
        metadata === null
          ? []
          : [
              [
                metadata.uid,
                {
                  uid: metadata.uid,
                  name: escapeText(metadata.name),
                  namespace: escapeText(metadata.namespace),
                },
              ] as const,
            ],
      ),
    );
    this.#isMissing = false;
  }

  #call(name: string): Promise<unknown> {
    const method: MethodDefinition<object, object> | undefined = this.#service[name];
    if (method === undefined) throw new Error(`no method ${name}`);
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        {},
        { deadline: this.options.clock.unixMillis() + CALL_MILLIS },
        (error, value) => {
          if (error === null) resolve(value);
          else reject(error);
        },
      );
    });
  }
}

// SPDX-License-Identifier: Apache-2.0
/**
 * The part of the container runtime interface (CRI, `runtime.v1`) that names are read from: two calls
 * and the fields behind them, by the numbers of the published interface. A descriptor, not a file, so
 * that a package needs nothing beside its code.
 */
import { fromJSON, type AnyDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { z } from 'zod';

interface Field {
  readonly type: string;
  readonly id: number;
  readonly rule?: string;
}

const strings = (names: readonly string[]): Record<string, Field> =>
  Object.fromEntries(names.map((name, at) => [name, { type: 'string', id: at + 1 }]));

const message = (fields: Record<string, Field>) => ({ fields });
const call = (name: string) => ({
  requestType: `${name}Request`,
  responseType: `${name}Response`,
  comment: '',
});

const DESCRIPTOR = {
  nested: {
    runtime: {
      nested: {
        v1: {
          nested: {
            RuntimeService: {
              methods: {
                ListContainers: call('ListContainers'),
                ListPodSandbox: call('ListPodSandbox'),
              },
            },
            ListContainersRequest: message({}),
            ListContainersResponse: message({
              containers: { rule: 'repeated', type: 'Container', id: 1 },
            }),
            Container: message({
              id: { type: 'string', id: 1 },
              podSandboxId: { type: 'string', id: 2 },
              metadata: { type: 'ContainerMetadata', id: 3 },
            }),
            ContainerMetadata: message(strings(['name'])),
            ListPodSandboxRequest: message({}),
            ListPodSandboxResponse: message({
              items: { rule: 'repeated', type: 'PodSandbox', id: 1 },
            }),
            PodSandbox: message({
              id: { type: 'string', id: 1 },
              metadata: { type: 'PodSandboxMetadata', id: 2 },
            }),
            PodSandboxMetadata: message(strings(['name', 'uid', 'namespace'])),
          },
        },
      },
    },
  },
};

const isService = (definition: AnyDefinition | undefined): definition is ServiceDefinition =>
  definition !== undefined && !('format' in definition);

const SERVICE = 'runtime.v1.RuntimeService';

export const criService = (): ServiceDefinition => {
  const definition = fromJSON(DESCRIPTOR, { defaults: true })[SERVICE];
  if (!isService(definition)) throw new Error(`no ${SERVICE} in our own descriptor`);
  return definition;
};

const metadata = z.object({ name: z.string(), uid: z.string(), namespace: z.string() });

export const containersSchema = z.object({
  containers: z.array(
    z.object({
      id: z.string(),
      podSandboxId: z.string(),
      metadata: z.object({ name: z.string() }).nullable(),
    }),
  ),
});

export const sandboxesSchema = z.object({
  items: z.array(z.object({ id: z.string(), metadata: metadata.nullable() })),
});

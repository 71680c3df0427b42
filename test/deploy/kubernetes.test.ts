// SPDX-License-Identifier: Apache-2.0
/**
 * The manifests as kustomize renders them, against the API's own types: the compiler refuses an unknown
 * field, a missing one and a wrong value, as a JSON schema would.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'deploy', 'kubernetes');

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
type Manifest = z.infer<typeof manifestSchema>;

const rendered = (base: string): readonly Manifest[] => {
  const text = execFileSync('kubectl', ['kustomize', join(FOLDER, base)], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => manifestSchema.parse(document.toJS()));
};

/** `apps/v1` → `kubernetes-types/apps/v1`, `v1` → `kubernetes-types/core/v1`. */
const moduleOf = (apiVersion: string): string => {
  const [group = '', version] = apiVersion.includes('/')
    ? apiVersion.split('/')
    : ['core', apiVersion];
  return `kubernetes-types/${group.replace('.k8s.io', '').replace(/^rbac\..*/, 'rbac')}/${version ?? ''}`;
};

/** What the compiler says against some objects; empty where they are of their kinds' types. */
const typeErrors = (manifests: readonly Manifest[]): readonly string[] => {
  const directory = mkdtempSync(join(ROOT, 'test', 'deploy', '.types-'));
  try {
    const source = join(directory, 'manifests.ts');
    const lines = manifests.map(
      (manifest, index) =>
        `import type { ${manifest.kind} as Kind${String(index)} } from '${moduleOf(manifest.apiVersion)}';\n` +
        `export const m${String(index)}: Kind${String(index)} = ${JSON.stringify(manifest)};\n`,
    );
    writeFileSync(source, lines.join(''));
    const program = ts.createProgram([source], {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      module: ts.ModuleKind.ESNext,
      types: [],
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  } finally {
    rmSync(directory, { recursive: true });
  }
};

const containerSchema = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  securityContext: z.looseObject({
    privileged: z.boolean(),
    allowPrivilegeEscalation: z.boolean(),
    readOnlyRootFilesystem: z.boolean(),
    capabilities: z.object({
      drop: z.array(z.string()),
      add: z.array(z.string()).default([]),
    }),
  }),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
});

const podOf = (manifests: readonly Manifest[]) =>
  z
    .looseObject({
      spec: z.looseObject({
        selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
        template: z.looseObject({
          metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
          spec: z.looseObject({
            automountServiceAccountToken: z.boolean(),
            containers: z.array(containerSchema),
            volumes: z.array(z.looseObject({ name: z.string() })),
          }),
        }),
      }),
    })
    .parse(manifests.find(({ kind }) => kind === 'DaemonSet')).spec;

describe.each(['base', 'with-collector'])('deploy/kubernetes/%s', (base) => {
  const manifests = rendered(base);

  it('is of the types of the Kubernetes API', () => {
    expect(typeErrors(manifests)).toEqual([]);
  });

  it('puts everything that has a namespace into one', () => {
    const clusterWide = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'];
    for (const { kind, metadata } of manifests)
      expect({ kind, namespace: metadata.namespace }).toEqual({
        kind,
        namespace: clusterWide.includes(kind) ? undefined : 'wattfeed',
      });
  });

  it('selects the pods that it makes, and mounts only volumes that there are', () => {
    const { selector, template } = podOf(manifests);
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    const volumes = template.spec.volumes.map(({ name }) => name);
    for (const { volumeMounts } of template.spec.containers)
      for (const { name } of volumeMounts) expect(volumes).toContain(name);
  });

  it('asks for the least: four capabilities for the agent, none for the Collector', () => {
    const { template } = podOf(manifests);
    expect(template.spec.automountServiceAccountToken).toBe(false);
    for (const { name, securityContext } of template.spec.containers) {
      expect(securityContext).toMatchObject({
        privileged: false,
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      });
      expect(securityContext.capabilities).toEqual({
        drop: ['ALL'],
        add: name === 'agent' ? ['BPF', 'PERFMON', 'SYS_PTRACE', 'DAC_READ_SEARCH'] : [],
      });
    }
  });

  it('starts the agent as the image does', () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    const [agent] = podOf(manifests).template.spec.containers;
    const flags = (agent?.args ?? []).flatMap((arg) => arg.split('='));
    const command = /^CMD (\[[^\]]*\])$/m.exec(dockerfile.replace(/\\\n\s*/g, ''))?.[1];
    expect(flags).toEqual(JSON.parse(command ?? '[]'));
  });
});

describe('typeErrors', () => {
  it('finds an unknown field, a missing one and a wrong value', () => {
    const pod = (spec: object): Manifest => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec,
    });
    expect(typeErrors([pod({ containers: [{ name: 'a', imgae: 'b' }] })])).toHaveLength(1);
    expect(typeErrors([pod({ containers: [{ image: 'b' }] })])).toHaveLength(1);
    expect(typeErrors([pod({ containers: [{ name: 3 }] })])).toHaveLength(1);
    expect(typeErrors([pod({ containers: [{ name: 'a' }] })])).toEqual([]);
  });
});

// SPDX-License-Identifier: Apache-2.0
/** Containers of Docker, containerd, CRI-O, podman and their kin, and the helpers beside them. */
import { FULL_HEX_ID, HEX_ID, UUID, container, type Rule } from './rule.js';

const pattern = (source: string): RegExp => new RegExp(`^${source}$`);

/** conmon and its like carry the container's id, but are not the container. */
const HELPERS: readonly Rule[] = [
  {
    name: 'cri-o-conmon',
    segments: [pattern(`crio-conmon-${HEX_ID}(?:\\.scope)?`)],
    find: () => ({ isHelper: true }),
  },
  {
    name: 'podman-conmon',
    segments: [pattern(`libpod-conmon-${HEX_ID}(?:\\.scope)?`)],
    find: () => ({ isHelper: true }),
  },
  {
    name: 'podman-conmon-cgroupfs',
    segments: [/^conmon$/],
    after: /^libpod/,
    find: () => ({ isHelper: true }),
  },
  {
    // With `--cgroups=split` conmon stays in `runtime` beside the payload, below the service.
    name: 'podman-split-runtime',
    segments: [/^(?:runtime|supervisor)$/],
    after: /\.service$/,
    find: () => ({ isHelper: true }),
  },
  {
    name: 'kata-overhead',
    segments: [/^kata_overhead$/, pattern(HEX_ID)],
    find: () => ({ isHelper: true }),
  },
];

/** `PREFIX-ID.scope` of the systemd drivers, `PREFIX-ID` of some cgroupfs ones. */
const prefixed = (name: string, prefix: string, runtime: string): Rule => ({
  name,
  segments: [pattern(`${prefix}(?<id>${HEX_ID})(?:\\.scope)?`)],
  find: ({ id }) => container(runtime, id),
});

export const CONTAINER_RULES: readonly Rule[] = [
  ...HELPERS,
  prefixed('docker-scope', 'docker-', 'docker'),
  prefixed('containerd-cri-scope', 'cri-containerd-', 'containerd'),
  prefixed('cri-o-scope', 'crio-', 'cri-o'),
  prefixed('podman-payload', 'libpod-payload-', 'podman'),
  prefixed('podman-scope', 'libpod-', 'podman'),
  prefixed('nerdctl-scope', 'nerdctl-', 'containerd'),
  prefixed('containerd-scope', 'containerd-', 'containerd'),
  prefixed('buildkit-scope', 'buildkit-', 'buildkit'),
  prefixed('kata-sandbox', 'kata_', 'kata'),
  {
    name: 'docker-cgroupfs',
    segments: [/^docker$/, pattern(`(?<id>${HEX_ID})`)],
    find: ({ id }) => container('docker', id),
  },
  {
    name: 'buildkit-cgroupfs',
    segments: [/^buildkit$/, /^(?<id>[0-9a-z]{20,64})$/],
    find: ({ id }) => container('buildkit', id),
  },
  {
    name: 'mesos',
    segments: [/^mesos$/, pattern(`(?<id>${UUID})`)],
    find: ({ id }) => container('mesos', id),
  },
  {
    name: 'garden',
    segments: [/^garden$/, pattern(`(?<id>${UUID})`)],
    find: ({ id }) => container('garden', id),
  },
  {
    name: 'apptainer',
    segments: [/^(?:apptainer|singularity)[-_]?(?<id>[\w.]{1,64})?\.scope$/],
    find: ({ id }) => container('apptainer', id),
  },
  {
    name: 'nomad-task',
    segments: [pattern(`(?<alloc>${UUID})[.-](?<task>.+?)(?:\\.scope)?`)],
    after: /^nomad/,
    find: ({ alloc, task }) =>
      alloc === undefined || task === undefined
        ? undefined
        : {
            pod: { system: 'nomad', uid: alloc, qos: undefined },
            container: { id: `${alloc}.${task}`, runtime: 'nomad', name: task },
          },
  },
  {
    // Any parent (`--cgroup-parent`, containerd namespaces): only the id says that it is a container.
    name: 'bare-container-id',
    segments: [pattern(`(?<id>${FULL_HEX_ID})`)],
    find: ({ id }, { before }) => container(bareRuntime(before), id),
  },
];

const bareRuntime = (before: readonly string[]): string | undefined => {
  const parent = before.at(-1);
  if (parent === 'docker' || parent === 'actions_job') return 'docker';
  return parent === 'libpod_parent' ? 'podman' : undefined;
};

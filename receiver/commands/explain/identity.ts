// SPDX-License-Identifier: Apache-2.0
/**
 * Whose joules they are: what a cgroup's path says and which rules say it. Needs no agent and no
 * measuring, so that a path can be tried out anywhere.
 */
import { escapeText } from '../../model/escape.js';
import type {
  CgroupIdentity,
  ContainerRef,
  JobRef,
  PodRef,
  UnitRef,
} from '../../model/workload.js';
import { wrapText } from '../../check/wrap-text.js';
import { CGROUP_HIERARCHIES } from '../../config/schema.js';
import { resolveCgroup } from '../../identity/resolve-cgroup.js';

const COLUMNS = 80;
const LABEL_COLUMNS = 11;

/** As `explain --json` prints it: no undefined, so that every field is there. */
export interface PrintedIdentity {
  readonly cgroup: string;
  readonly kind: CgroupIdentity['kind'];
  readonly rule: string;
  readonly rules: readonly string[];
  readonly isHelper: boolean;
  readonly container: ContainerRef | null;
  readonly outerContainers: readonly ContainerRef[];
  readonly pod: PodRef | null;
  readonly job: JobRef | null;
  readonly unit: UnitRef | null;
  readonly slice: string | null;
}

export const identityOfPath = (path: string): PrintedIdentity => {
  const { kind, rule, rules, isHelper, container, outerContainers, pod, job, unit, slice } =
    resolveCgroup(path);
  return {
    cgroup: path,
    kind,
    rule,
    rules,
    isHelper,
    container: container ?? null,
    outerContainers,
    pod: pod ?? null,
    job: job ?? null,
    unit: unit ?? null,
    slice: slice ?? null,
  };
};

const isHierarchy = (name: string): boolean =>
  name.split(',').every((controller) => CGROUP_HIERARCHIES.some((known) => known === controller));

/** Below the hierarchy's root, from a path that may begin with the mount point. */
export const pathBelowMount = (path: string, cgroupRoot: string): string => {
  const root = cgroupRoot.replace(/\/+$/, '');
  if (!path.startsWith(`${root}/`)) return path;
  const below = path.slice(root.length);
  const [, first = '', ...rest] = below.split('/');
  return isHierarchy(first) ? `/${rest.join('/')}` : below;
};

const line = (label: string, value: string): readonly string[] =>
  wrapText(escapeText(value), COLUMNS - LABEL_COLUMNS, '', '').map(
    (text, at) => (at === 0 ? label : '').padEnd(LABEL_COLUMNS) + text,
  );

const containerText = ({ id, runtime, name }: ContainerRef): string =>
  [runtime ?? 'runtime not said', ...(name === undefined || name === id ? [] : [name]), id].join(
    ' ',
  );

const podText = ({ system, uid, qos }: PodRef): string =>
  [system, uid, ...(qos === undefined ? [] : [qos])].join(' ');

const jobText = ({ system, id, step, task, uid, user }: JobRef): string =>
  [
    system,
    id,
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(task === undefined ? [] : [`task ${task}`]),
    ...(user === undefined && uid === undefined ? [] : [`owner ${user ?? String(uid)}`]),
  ].join(' ');

const HELPER =
  'a helper of the runtime: its joules are not counted as the container, only as pod, job and unit';

export const renderIdentity = (identity: PrintedIdentity): string => {
  const { cgroup, kind, rule, rules, container, outerContainers, pod, job, unit, slice } = identity;
  return [
    ...line('cgroup', cgroup),
    ...line('is', `${kind}, by the rule ${rule}`),
    ...(container === null ? [] : line('container', containerText(container))),
    ...outerContainers.flatMap((outer) => line('inside', containerText(outer))),
    ...(pod === null ? [] : line('pod', podText(pod))),
    ...(job === null ? [] : line('job', jobText(job))),
    ...(unit === null
      ? []
      : line('unit', `${unit.name}${unit.manager === 'user' ? " of a user's manager" : ''}`)),
    ...(slice === null ? [] : line('slice', slice)),
    ...(identity.isHelper ? line('', HELPER) : []),
    ...(rules.length < 2 ? [] : line('rules', rules.join(', '))),
    '',
  ].join('\n');
};

// SPDX-License-Identifier: Apache-2.0
/**
 * A cgroup's path -> what it stands for. Pure, and total: any text has an answer, at worst `cgroup`.
 *
 * The path is walked from the outside in. At each segment the first rule that matches adds what it knows;
 * a container found further in becomes the workload and the one around it an outer one.
 */
import {
  PLAIN_CGROUP,
  type CgroupIdentity,
  type ContainerRef,
  type WorkloadKind,
} from '../model/workload.js';
import { CONTAINER_RULES } from './rules/container-rules.js';
import { JOB_RULES } from './rules/job-rules.js';
import { MACHINE_RULES } from './rules/machine-rules.js';
import { POD_RULES } from './rules/pod-rules.js';
import type { Finding, Groups, Outer, Rule } from './rules/rule.js';
import { UNIT_RULES } from './rules/unit-rules.js';

/** In order: whoever says more comes first, so that a container's scope is not just a unit. */
export const CGROUP_RULES: readonly Rule[] = [
  ...JOB_RULES,
  ...POD_RULES,
  ...CONTAINER_RULES,
  ...MACHINE_RULES,
  ...UNIT_RULES,
];

/** Deeper than any real tree; a path has at most 4,096 bytes. */
const MAX_SEGMENTS = 64;

type Draft = {
  -readonly [Key in keyof CgroupIdentity]: CgroupIdentity[Key];
} & { rules: string[]; outerContainers: ContainerRef[] };

/** systemd writes what its names cannot hold as `\xNN`; only what is printable is turned back. */
const unescapeUnit = (segment: string): string =>
  segment.replace(/\\x([2-7][0-9a-fA-F])/g, (escaped, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return character === '/' || character === '\x7f' ? escaped : character;
  });

/** `SLICE:PREFIX:ID`: a runtime without systemd was given a systemd path. Two segments in one. */
const COLON_FORM = /^([^:]+):([a-z-]+):([0-9a-f]{12,64})$/;

const expandColons = (segment: string): readonly string[] => {
  const found = COLON_FORM.exec(segment);
  if (found === null) return [segment];
  const [, slice = '', prefix = '', id = ''] = found;
  return [slice, `${prefix}-${id}`];
};

/** `..` leads out of a cgroup namespace; what follows is the path as seen from further out. */
const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .slice(0, MAX_SEGMENTS)
    .flatMap(expandColons)
    // A name that would collide with a file of the kernel's gets one `_` in front.
    .map((segment) => unescapeUnit(/^_./.test(segment) ? segment.slice(1) : segment));

/** All groups of all patterns, or undefined if one of the segments does not match. */
const groupsAt = (rule: Rule, segments: readonly string[], at: number): Groups | undefined => {
  if (at + rule.segments.length > segments.length) return undefined;
  let groups: Groups = {};
  for (const [index, pattern] of rule.segments.entries()) {
    const found = pattern.exec(segments[at + index] ?? '');
    if (found === null) return undefined;
    if (found.groups !== undefined) groups = { ...groups, ...found.groups };
  }
  return groups;
};

const outerOf = (draft: Draft, segments: readonly string[], at: number): Outer => ({
  before: segments.slice(0, at),
  jobSystem: draft.job?.system,
  hasStep: draft.job?.step !== undefined,
  isUserManager: segments.slice(0, at).some((segment) => /^user@.+\.service$/.test(segment)),
});

interface Match {
  readonly rule: Rule;
  readonly finding: Finding;
}

const matchAt = (draft: Draft, segments: readonly string[], at: number): Match | undefined => {
  const outer = outerOf(draft, segments, at);
  for (const rule of CGROUP_RULES) {
    const groups = groupsAt(rule, segments, at);
    if (groups === undefined) continue;
    const { after } = rule;
    if (after !== undefined && !outer.before.some((segment) => after.test(segment))) continue;
    const finding = rule.find(groups, outer);
    if (finding !== undefined) return { rule, finding };
  }
  return undefined;
};

/** What is around a pod or a container found further in becomes an outer one. */
const stepInside = (draft: Draft): void => {
  if (draft.container !== undefined) draft.outerContainers.push(draft.container);
  draft.container = undefined;
};

const apply = (draft: Draft, { rule, finding }: Match): void => {
  draft.rules.push(rule.name);
  if (finding.pod !== undefined || finding.container !== undefined) stepInside(draft);
  draft.pod = finding.pod ?? draft.pod;
  draft.container = finding.container ?? draft.container;
  draft.job = finding.job ?? draft.job;
  if (draft.job !== undefined) {
    draft.job = {
      ...draft.job,
      step: finding.step ?? draft.job.step,
      task: finding.task ?? draft.job.task,
    };
  }
  draft.unit = finding.unit ?? draft.unit;
  draft.slice = finding.slice ?? draft.slice;
  draft.sliceUid = finding.sliceUid ?? draft.sliceUid;
  draft.isHelper = finding.isHelper ?? draft.isHelper;
  draft.kind = kindOf(draft);
  if (decides(finding, draft.kind)) draft.rule = rule.name;
};

/** Whether it says what the cgroup is in the end, or only more about it. */
const decides = (finding: Finding, kind: WorkloadKind): boolean => {
  if (finding.isHelper === true) return true;
  switch (kind) {
    case 'container':
      return finding.container !== undefined;
    case 'pod':
      return finding.pod !== undefined;
    case 'job':
      return [finding.job, finding.step, finding.task].some((part) => part !== undefined);
    default:
      return true;
  }
};

const kindOf = ({ container, pod, job, unit }: CgroupIdentity): WorkloadKind => {
  if (container !== undefined) return 'container';
  if (pod !== undefined) return 'pod';
  if (job !== undefined) return 'job';
  return unit === undefined ? 'cgroup' : 'unit';
};

const newDraft = (isRoot: boolean): Draft => ({
  ...PLAIN_CGROUP,
  ...(isRoot ? { kind: 'root', rule: 'root' } : {}),
  rules: [],
  outerContainers: [],
});

/** `path` below the hierarchy's root, with or without the mount point in front, escaped or not. */
export const resolveCgroup = (path: string): CgroupIdentity => {
  const segments = segmentsOf(path);
  const draft = newDraft(segments.length === 0);
  for (let at = 0; at < segments.length;) {
    const match = matchAt(draft, segments, at);
    const length = match?.rule.segments.length ?? 1;
    if (match !== undefined) apply(draft, match);
    // A pod's or a job's slice is a slice, too.
    draft.slice =
      segments.slice(at, at + length).findLast((segment) => segment.endsWith('.slice')) ??
      draft.slice;
    at += length;
  }
  return draft;
};

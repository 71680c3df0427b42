// SPDX-License-Identifier: Apache-2.0
/** Jobs of batch systems, with step and task where there are such, and the owner where the path says it. */
import { uidOf, type Finding, type Groups, type Rule } from './rule.js';

const job = (system: string, { job: id, uid, user }: Groups): Finding | undefined =>
  id === undefined
    ? undefined
    : { job: { system, id, step: undefined, task: undefined, uid: uidOf(uid), user } };

/** Torque, PBS: number, perhaps an array index, then the server. */
const PBS_ID = '\\d+(?:\\[\\d*\\])?(?:\\..+)?';

const SLURM: readonly Rule[] = [
  {
    name: 'slurm-v1',
    segments: [/^slurm(?:_.+)?$/, /^uid_(?<uid>\d+)$/, /^job_(?<job>\d+)$/],
    find: (groups) => job('slurm', groups),
  },
  {
    name: 'slurm-v2',
    segments: [/^(?:.+_)?slurmstepd\.scope$/, /^job_(?<job>\d+)$/],
    find: (groups) => job('slurm', groups),
  },
  {
    name: 'slurmstepd',
    segments: [/^(?<unit>(?:.+_)?slurmstepd\.scope)$/, /^system$/],
    find: ({ unit = '' }) => ({ isHelper: true, unit: { name: unit, manager: 'system' } }),
  },
  {
    name: 'slurm-step',
    segments: [/^step_(?<step>.+)$/],
    find: ({ step }, { jobSystem }) =>
      jobSystem === 'slurm' && step !== undefined ? { step } : undefined,
  },
  {
    name: 'slurm-step-daemon',
    segments: [/^slurm$/],
    find: (_, { jobSystem, hasStep }) =>
      jobSystem === 'slurm' && hasStep ? { isHelper: true } : undefined,
  },
  {
    name: 'slurm-task',
    segments: [/^task_(?<task>.+)$/],
    find: ({ task }, { jobSystem, hasStep }) =>
      jobSystem === 'slurm' && hasStep && task !== undefined ? { task } : undefined,
  },
];

export const JOB_RULES: readonly Rule[] = [
  ...SLURM,
  {
    name: 'pbs',
    segments: [/^pbs_jobs(?:\.service)?$/, /^(?:jobid|jobs)$/, new RegExp(`^(?<job>${PBS_ID})$`)],
    find: (groups) => job('pbs', groups),
  },
  {
    name: 'pbs-pro-service',
    segments: [/^pbspro(?:\.service)?$/, /^jobid$/, new RegExp(`^(?<job>${PBS_ID})$`)],
    find: (groups) => job('pbs', groups),
  },
  {
    name: 'pbs-slice',
    segments: [new RegExp(`^(?:pbspro|pbs_jobs|pbs)-(?<job>${PBS_ID})\\.slice$`)],
    find: (groups) => job('pbs', groups),
  },
  {
    name: 'torque',
    segments: [/^torque$/, new RegExp(`^(?<job>${PBS_ID})$`)],
    find: (groups) => job('torque', groups),
  },
  {
    name: 'oar-2',
    segments: [/^oar$/, /^(?<user>.+)_(?<job>\d+)$/],
    find: (groups) => job('oar', groups),
  },
  {
    name: 'oar-slice',
    segments: [/^oar-u(?<uid>\d+)-j(?<job>\d+)(?:-.+)?(?:\.(?:slice|scope))?$/],
    find: (groups) => job('oar', groups),
  },
  {
    name: 'oar-scope',
    segments: [/^oar\.slice$/, /^(?<user>.+)_(?<job>\d+)\.scope$/],
    find: (groups) => job('oar', groups),
  },
  {
    // `job.ID.PID.TIME` below the cluster's name; an array's element is `ID[INDEX]`.
    name: 'lsf',
    segments: [/^lsf$/, /^.+$/, /^job\.(?<job>\d+(?:\[\d+\])?)(?:\..+)?$/],
    find: (groups) => job('lsf', groups),
  },
  {
    // HTCondor's groups are named after the slot, not after the job that runs in it.
    name: 'htcondor-slot',
    segments: [/^condor_.+?_(?<job>slot\d+(?:_\d+)?@.+)$/],
    find: (groups) => job('htcondor', groups),
  },
  {
    // Job ids of Flux: base58 behind an f, plain or with a hook.
    name: 'flux',
    segments: [/^(?:imp-)?shell-(?:\d+-)?(?<job>[f\u0192][1-9A-HJ-NP-Za-km-z]{2,16})\.service$/],
    find: (groups) => job('flux', groups),
  },
  {
    name: 'grid-engine',
    segments: [/^(?:UGE|uge|GE|ge|sge|SGE)$/, /^(?<job>\d+(?:\.\d+)?)$/],
    find: (groups) => job('grid-engine', groups),
  },
];

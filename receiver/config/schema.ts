// SPDX-License-Identifier: Apache-2.0
/**
 * Every configuration key: its type, range, meaning, default and why that default. Flags, the
 * commented defaults, docs/configuration.md and the JSON schema are all made from this one value.
 */
import { z } from 'zod';
import { DEFAULT_POLLERS } from '../model/known-pollers.js';
import { SELECTION_FIELDS, parseSelectionRule } from '../model/selection-rule.js';
import { COUNTER_KINDS, parseCounterChoice, parseCounterCpus } from '../model/counter-selection.js';
import { DEFAULT_ROOTS } from '../host/roots.js';
import { attributionSchema, dramSchema } from './attribution-schema.js';
import { key } from './key-notes.js';
import { policySchema } from './policy-schema.js';

export { notesOf, type KeyNotes } from './key-notes.js';

const absolutePath = z
  .string()
  .regex(/^\/[^\0]*$/, { error: 'must be an absolute path' })
  .max(4095);
/** 1 to 65535. */
const PORT = String.raw`(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])`;
const SCRAPE_ADDRESS = new RegExp(String.raw`^(?:(?:\[[0-9a-fA-F:.]+\]|[\w.-]*):)?${PORT}$`);
const positiveWatts = z.number().positive().max(1_000_000);
const floorWatts = z.number().min(0).max(1_000_000);
const count = (least: number, most: number) => z.int().min(least).max(most);
const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));

const roots = z.strictObject({
  sysfs: key(absolutePath.default(DEFAULT_ROOTS.sysfs), {
    description: 'Where sysfs is mounted: CPU topology, powercap, hwmon and perf event sources.',
    reason: "Linux's own place; a container that mounts the host's sysfs elsewhere changes it.",
    alias: '--sysfs-root',
  }),
  procfs: key(absolutePath.default(DEFAULT_ROOTS.procfs), {
    description: "Where the host's procfs is mounted.",
    reason: "Linux's own place; a container needs the host's, not its own.",
    alias: '--procfs-root',
  }),
  cgroup: key(absolutePath.default(DEFAULT_ROOTS.cgroup), {
    description: 'Where the cgroup hierarchies are mounted; names of cgroups are read below it.',
    reason: 'The place of every current distribution.',
    alias: '--cgroup-root',
  }),
});

export const CGROUP_HIERARCHIES = [
  'auto',
  'unified',
  'cpu',
  'cpuacct',
  'cpuset',
  'memory',
  'pids',
  'devices',
  'freezer',
  'blkio',
  'net_cls',
  'net_prio',
  'perf_event',
  'hugetlb',
  'rdma',
  'misc',
] as const;

const accounting = z.strictObject({
  max_tasks: key(
    count(256, 4_194_304).refine(isPowerOfTwo, { error: 'must be a power of two' }).default(65_536),
    {
      description:
        'Slots of the accounting table: live threads times the core types and packages they ran on. A power of two, of which one is never taken.',
      reason:
        'Twice the usual pid_max of 32,768; what finds no slot is still counted, in a remainder.',
    },
  ),
  cgroup_hierarchy: key(z.enum(CGROUP_HIERARCHIES).default('auto'), {
    description:
      'Which hierarchy names the workloads: `unified` (cgroup v2), a cgroup v1 controller, or `auto`.',
    reason: '`auto` takes the hierarchy that carries processes on this host.',
  }),
  counters: key(
    z
      .array(
        z.string().refine((text) => parseCounterChoice(text) !== undefined, {
          error: `must be one of ${COUNTER_KINDS.join(', ')}, or one of them with the number of its event: vector=0xf0c7`,
        }),
      )
      .refine(
        (texts) =>
          new Set(texts.map((text) => parseCounterChoice(text)?.kind)).size === texts.length,
        { error: 'names a counter twice' },
      )
      .default([...COUNTER_KINDS]),
    {
      description:
        'Hardware counters that are read at each switch; empty: none. `NAME=0x…` sets the event number of a core PMU whose event is not known by name.',
      reason:
        'All that the model can use. Each costs 60 to 110 ns per switch; a counter that the CPU lacks is left out and said by `check`.',
      allowed: `a list of ${COUNTER_KINDS.join(', ')}`,
    },
  ),
  counter_cpus: key(
    z
      .string()
      .refine((text) => parseCounterCpus(text) !== undefined, {
        error: 'must be all, CPUs such as 0-3,8, or a part of the cores such as 1/4',
      })
      .default('all'),
    {
      description:
        'Which CPUs count: `all`, a list, or every n-th core as `1/N`. What runs on the others is split by time, in the same sum and labelled.',
      reason: 'A CPU that counts knows its tasks best; very large machines may want less.',
      allowed: 'all | CPUs such as 0-3,8 | 1/N',
    },
  ),
  bpf_stats: key(z.boolean().default(true), {
    description: "Let the kernel measure the BPF programs' run time (kernel.bpf_stats).",
    reason: 'On: the cost of measuring is itself a metric. It adds two clock reads per switch.',
  }),
});

export const ENERGY_SOURCE_NAMES = ['perf', 'powercap', 'hwmon', 'power_supply', 'model'] as const;

const model = z.strictObject({
  idle_watts: key(floorWatts, {
    description: 'Power of the whole host when nothing runs, in watts.',
    reason: 'No default: only a measurement of this machine knows it.',
    example: 12,
  }),
  max_watts: key(positiveWatts, {
    description: 'Power of the whole host when every CPU is busy, in watts.',
    reason: 'No default: only a measurement of this machine knows it.',
    example: 65,
  }),
  gamma: key(z.number().positive().max(10).default(1), {
    description: 'Bend of the curve: P = idle + (max - idle) * utilisation ^ gamma.',
    reason: '1, a straight line: another value needs a measurement of this machine.',
  }),
});

const energy = z.strictObject({
  sources: key(
    z
      .union([z.literal('auto'), z.array(z.enum(ENERGY_SOURCE_NAMES)).min(1)], {
        error: `must be auto or a list of ${ENERGY_SOURCE_NAMES.join(', ')}`,
      })
      .refine((value) => value === 'auto' || new Set(value).size === value.length, {
        error: 'names a source twice',
      })
      .default('auto'),
    {
      description: 'Energy sources: `auto`, or a list: only these, in this order.',
      reason: '`auto` probes all of them and takes for each domain the best that really counts.',
    },
  ),
  model: model.optional(),
  tdp_watts: key(positiveWatts.optional(), {
    description:
      'One flat figure for the power model: the sum of the thermal design power of all packages, in watts. Excludes energy.model. Also from the environment variable ENERGY_TDP_WATTS.',
    reason: 'Not set: a table by CPU model is used and the result is labelled a guess.',
    example: 65,
  }),
  core_counters: key(z.boolean().default(false), {
    description:
      "Read the energy counter of every core where there is one (AMD's power_core, up to 64 cores), and split each core's energy among those who ran on it.",
    reason: 'Off: one read per core and window, 27 to 255 us each.',
  }),
  idle_watts: key(floorWatts.optional(), {
    description: 'Idle floor of one package, in watts: what it draws when nothing runs.',
    reason: 'Not set: learnt from the quietest windows.',
    example: 8,
  }),
  max_plausible_watts: key(positiveWatts.optional(), {
    description: 'A window in which one counter says more than this many watts is rejected.',
    reason: "Not set: twice the largest limit that the counter's zone declares, else 2,000 W.",
    example: 1000,
  }),
});

const ledger = z.strictObject({
  max_processes: key(count(16, 4_194_304).default(65_536), {
    description: 'Processes that have an entry of their own; the rest share one remainder.',
    reason: 'As many as the accounting table has slots, so that its cap is met first.',
  }),
  max_cgroups: key(count(16, 1_048_576).default(16_384), {
    description: 'cgroups that have an entry of their own; the rest share one remainder.',
    reason: 'Well above a full Kubernetes node: 250 pods with a few cgroups each, plus units.',
  }),
  max_threads: key(count(16, 4_194_304).default(65_536), {
    description:
      'Threads that have an entry of their own while they are exported or watched; the rest share one remainder.',
    reason: 'As many as the accounting table has slots, so that its cap is met first.',
  }),
  max_exited: key(count(0, 4_194_304).default(16_384), {
    description:
      'Ended processes (and threads, where exported) kept until their final value was exported; older ones join the sum of the exited.',
    reason: 'Covers 270 exits a second at an export interval of 60 s.',
  }),
});

const selection = z.array(
  z.string().refine((text) => parseSelectionRule(text) !== undefined, {
    error: `must be FIELD=GLOB, FIELD one of ${SELECTION_FIELDS.join(', ')}`,
  }),
);

const exporting = z.strictObject({
  enabled: key(z.boolean().default(true), {
    description: 'Send metrics by OTLP. Where to is said by the OTEL_EXPORTER_OTLP_* variables.',
    reason: 'On: it is what the agent is for; an unreachable collector does not disturb it.',
  }),
  levels: z
    .strictObject({
      process: key(z.boolean().default(true), {
        description: 'Export energy per process.',
        reason: 'On, bounded by export.max_process_series.',
      }),
      cgroup: key(z.boolean().default(true), {
        description: 'Export energy per cgroup.',
        reason: 'On: the level that bills are made from.',
      }),
      container: key(z.boolean().default(true), {
        description: 'Export energy per container and virtual machine.',
        reason: 'On: a node has some hundred at most.',
      }),
      pod: key(z.boolean().default(true), {
        description: 'Export energy per pod, ECS task or Nomad allocation.',
        reason: 'On: a node has 250 at most.',
      }),
      job: key(z.boolean().default(true), {
        description: 'Export energy per job of a batch system.',
        reason: 'On: no series where there is no batch system.',
      }),
      unit: key(z.boolean().default(true), {
        description: 'Export energy per systemd unit.',
        reason: 'On: a host has some hundred at most.',
      }),
      user: key(z.boolean().default(true), {
        description: 'Export energy per user.',
        reason: 'On: few, and what a shared host is billed by.',
      }),
      name: key(z.boolean().default(false), {
        description: 'Export energy per command name.',
        reason: 'Off: names are made up by programs, thousands on a build host.',
      }),
      thread: key(z.boolean().default(false), {
        description: 'Export energy per thread.',
        reason:
          'Off: threads are many and short-lived, so their series are expensive to store. On, bounded by export.max_thread_series.',
      }),
    })
    .prefault({}),
  cpu_time: z
    .strictObject({
      process: key(z.boolean().default(false), {
        description: 'Export CPU time per process beside its energy.',
        reason: 'Off: it doubles the number of series, and other agents export it already.',
      }),
      cgroup: key(z.boolean().default(true), {
        description: 'Export CPU time per cgroup beside its energy.',
        reason: 'On: joules per CPU second need both from the same windows.',
      }),
      thread: key(z.boolean().default(false), {
        description: 'Export CPU time per thread beside its energy; needs export.levels.thread.',
        reason: 'Off: it doubles the number of series.',
      }),
      workload: key(z.boolean().default(false), {
        description:
          'Export CPU time per container, pod, job, unit, user and name, where their level is exported.',
        reason: 'Off: it doubles the number of series.',
      }),
    })
    .prefault({}),
  max_process_series: key(count(0, 1_000_000).default(1000), {
    description:
      'Processes exported with series of their own, the largest consumers first; the rest are one sum.',
    reason: 'Keeps memory and one export small on hosts with 10,000 processes.',
  }),
  max_thread_series: key(count(0, 1_000_000).default(1000), {
    description:
      'Threads exported with series of their own, the largest consumers first; the rest are one sum.',
    reason: 'As many as processes: a few threads burn most of what a host burns.',
  }),
  max_workload_series: key(count(0, 1_000_000).default(1000), {
    description:
      'Containers, pods, jobs, units, users and names (each level alone) with series of their own; the rest are one sum.',
    reason: 'Well above a full Kubernetes node.',
  }),
  min_joules: key(z.number().min(0).max(1_000_000_000).default(0), {
    description:
      'Energy from which on anything has a series of its own; until then it is in the sum.',
    reason: '0: what has burned something has a series, as far as the caps allow.',
  }),
  prometheus_address: key(
    z
      .string()
      .regex(SCRAPE_ADDRESS, {
        error: 'must be PORT or HOST:PORT, with a port from 1 to 65535',
      })
      .optional(),
    {
      description:
        'Where Prometheus may scrape /metrics: `PORT` (loopback), `HOST:PORT`, or `:PORT` (all addresses).',
      reason: 'Not set: no port is opened; metrics are pushed.',
      example: '127.0.0.1:9464',
      alias: '--prometheus',
      isOfAgent: true,
    },
  ),
  csv_file: key(absolutePath.optional(), {
    description: 'Write what everything burned into this CSV file, once per interval.',
    reason: 'Not set: no file. For those without a backend.',
    example: '/var/log/wattfeed/energy.csv',
    alias: '--csv',
    isOfAgent: true,
  }),
  csv_interval_seconds: key(count(1, 86_400).default(60), {
    description: 'Time between two entries of the CSV file.',
    reason: 'One minute: a day of 200 entities is about 30 MB.',
  }),
  csv_max_mib: key(count(1, 65_536).default(64), {
    description: 'Size from which on the CSV file is rotated.',
    reason: '64 MiB open in any spreadsheet.',
  }),
  csv_kept_files: key(count(0, 1_000).default(4), {
    description: 'Rotated CSV files kept beside the one that grows.',
    reason: 'With the size above at most 320 MiB.',
  }),
  include: key(selection.default([]), {
    description:
      'Only what matches one of these rules has a series of its own: `FIELD=GLOB` with the fields name, user, cgroup, container, pod, unit, job. A level is left alone by rules for fields it has not.',
    reason: 'Empty: all. What is left out stays in the sum of its level.',
  }),
  exclude: key(selection.default([]), {
    description: 'What matches one of these rules has no series of its own, e.g. `name=kworker*`.',
    reason: 'Empty: nothing.',
  }),
});

const agent = z.strictObject({
  socket_path: key(absolutePath.default('/run/wattfeed/agent.sock'), {
    description: 'Unix socket where `run` serves its viewers, mode 0600.',
    reason: 'Below /run, so that it does not survive a reboot.',
    alias: '--socket',
  }),
  pin_directory: key(absolutePath.default('/sys/fs/bpf/wattfeed'), {
    description: 'bpffs directory of pinned maps and of the lock that admits one measurer.',
    reason: 'Below the place where bpffs is mounted everywhere.',
  }),
  state_directory: key(absolutePath.default('/var/lib/wattfeed'), {
    description: 'Where the agent keeps what it has learnt across restarts.',
    reason: "Survives a reboot; systemd's StateDirectory=wattfeed makes it.",
  }),
});

const spin = z.strictObject({
  enabled: key(z.boolean().default(true), {
    description: 'Look for threads that run and do nothing; see docs/spin.md.',
    reason: 'On: without such threads it costs nothing, and nobody else finds them.',
  }),
  pollers: key(z.array(z.string().min(1).max(256)).default([...DEFAULT_POLLERS]), {
    description:
      'Threads that wait awake by design: names of processes, threads or files with code, `*` for any text. They are reported as `polling` and raise no alert.',
    reason: 'What DPDK, SPDK, io_uring, QEMU, OpenMP and MPI call their threads and libraries.',
  }),
  max_examined: key(count(1, 64).default(4), {
    description: 'Threads that are sampled at a time, 97 times a second each.',
    reason: 'Each costs less than 0.1 % of a CPU while it is sampled.',
  }),
  cpu_percent: key(z.number().positive().max(100).default(0.5), {
    description: 'CPU time that deciding may take, of one CPU, after half a second at once.',
    reason: 'Enough for a new thread each few seconds; with hundreds some wait for their turn.',
  }),
});

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

export const configSchema = z
  .strictObject({
    window_millis: key(count(20, 3_600_000).default(1000), {
      description: 'Length of one measuring window, in milliseconds.',
      reason: 'One second: RAPL counters move every millisecond, so their step is 0.1 % of it.',
    }),
    roots: roots.prefault({}),
    accounting: accounting.prefault({}),
    energy: energy.prefault({}),
    attribution: attributionSchema.prefault({}),
    dram: dramSchema.prefault({}),
    ledger: ledger.prefault({}),
    identity: z
      .strictObject({
        cri_socket: key(absolutePath.optional(), {
          description:
            'Unix socket of the container runtime (CRI): names of pods and containers are read from it.',
          reason:
            'Not set: the agent needs no access to it; a collector adds the names by the ids.',
          example: '/run/containerd/containerd.sock',
          alias: '--cri-socket',
        }),
        command_line: key(z.enum(['off', 'redacted', 'full']).default('off'), {
          description:
            'Export command lines of processes: `redacted` leaves out what looks like a secret.',
          reason: '`off`: people put passwords there, and metrics leave the node.',
        }),
      })
      .prefault({}),
    export: exporting.prefault({}),
    policy: policySchema.prefault({}),
    spin: spin.prefault({}),
    agent: agent.prefault({}),
    log: z
      .strictObject({
        level: key(z.enum(LOG_LEVELS).default('info'), {
          description: 'Least severe message that is written to standard error.',
          reason: '`info` says each change of state once and nothing per window.',
        }),
      })
      .prefault({}),
  })
  .describe('Configuration of wattfeed.');

export type ConfigFile = z.infer<typeof configSchema>;

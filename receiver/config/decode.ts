// SPDX-License-Identifier: Apache-2.0
/**
 * File text, environment and flags to one Config, or every mistake in them at once, each with its
 * place and what to write instead.
 */
import * as E from 'fp-ts/lib/Either.js';
import {
  parseCounterChoice,
  parseCounterCpus,
  type CounterSelection,
} from '../model/counter-selection.js';
import { parseSelectionRule, type SelectionRule } from '../model/selection-rule.js';
import { microjoulesOfJoules } from '../model/units.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { EnergySourceKind } from '../model/energy-domain.js';
import type { Complaint } from '../model/errors.js';
import type { Config } from './config.js';
import { complaintsOfIssue, crossComplaints, type PlaceOf } from './complaints.js';
import { applyLayer, overridesOf, withTextOfNumbers, type Override } from './layers.js';
import { configSchema, type ConfigFile } from './schema.js';
import { budgetOf, matchOf } from './policy-lines.js';
import { parseYaml, type YamlValues } from './yaml-text.js';

export interface ConfigInput {
  /** Undefined: there is no file, and nobody asked for one. */
  readonly file: { readonly path: string; readonly text: string } | undefined;
  /** Dotted key to the flag's text. */
  readonly flags: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const sourceKinds: Readonly<
  Record<Exclude<ConfigFile['energy']['sources'], 'auto'>[number], EnergySourceKind>
> = {
  perf: 'perf',
  powercap: 'powercap',
  hwmon: 'hwmon',
  power_supply: 'power-supply',
  model: 'model',
};

const energyOf = ({ energy }: ConfigFile): Config['energy'] => ({
  sources: energy.sources === 'auto' ? 'auto' : energy.sources.map((name) => sourceKinds[name]),
  model: energy.model && {
    idleWatts: energy.model.idle_watts,
    maxWatts: energy.model.max_watts,
    gamma: energy.model.gamma,
  },
  tdpWatts: energy.tdp_watts,
  coreCounters: energy.core_counters,
  idleWatts: energy.idle_watts,
  maxPlausibleWatts: energy.max_plausible_watts,
});

const attributionOf = ({ attribution }: ConfigFile): Config['attribution'] => ({
  model: attribution.model,
  idlePolicy: attribution.idle_policy,
  requestSource: attribution.request_source,
  calibrate: attribution.calibrate,
  seed: {
    alpha: attribution.seed.alpha,
    baseInstructionsPerCycle: attribution.seed.base_ipc,
  },
});

const MILLIS_PER_SECOND = 1_000;
const BYTES_PER_MIB = 1_048_576;

const csvOf = ({ export: exporting }: ConfigFile): Config['export']['csv'] =>
  exporting.csv_file === undefined
    ? undefined
    : {
        path: exporting.csv_file,
        intervalMillis: exporting.csv_interval_seconds * MILLIS_PER_SECOND,
        maxBytes: exporting.csv_max_mib * BYTES_PER_MIB,
        keptFiles: exporting.csv_kept_files,
      };

/** The schema has refused those that are none. */
const selectionRules = (texts: readonly string[]): readonly SelectionRule[] =>
  texts.map(parseSelectionRule).filter((rule) => rule !== undefined);

const countersOf = ({ accounting }: ConfigFile): CounterSelection => ({
  choices: accounting.counters.map(parseCounterChoice).filter((choice) => choice !== undefined),
  cpus: parseCounterCpus(accounting.counter_cpus) ?? { _tag: 'All' },
});

/** The file's shape to the program's: one line per key, so that none is forgotten. */
export const configOfFile = (file: ConfigFile): Config => ({
  windowMillis: file.window_millis,
  roots: file.roots,
  accounting: {
    maxTasks: file.accounting.max_tasks,
    cgroupHierarchy: file.accounting.cgroup_hierarchy,
    bpfStats: file.accounting.bpf_stats,
    counters: countersOf(file),
  },
  energy: energyOf(file),
  attribution: attributionOf(file),
  dram: {
    split: file.dram.split,
    isModelled: file.dram.model === 'on',
    backgroundWatts: file.dram.background_watts,
    lineNanojoules: file.dram.line_nanojoules,
  },
  ledger: {
    maxProcesses: file.ledger.max_processes,
    maxCgroups: file.ledger.max_cgroups,
    maxThreads: file.ledger.max_threads,
    maxExited: file.ledger.max_exited,
  },
  identity: { criSocket: file.identity.cri_socket, commandLine: file.identity.command_line },
  export: {
    enabled: file.export.enabled,
    levels: file.export.levels,
    cpuTime: file.export.cpu_time,
    maxProcessSeries: file.export.max_process_series,
    maxThreadSeries: file.export.max_thread_series,
    maxWorkloadSeries: file.export.max_workload_series,
    minMicrojoules: microjoulesOfJoules(file.export.min_joules),
    prometheusAddress: file.export.prometheus_address,
    csv: csvOf(file),
    rules: {
      include: selectionRules(file.export.include),
      exclude: selectionRules(file.export.exclude),
    },
  },
  policy: {
    isPublished: file.policy.feed,
    validityWindows: file.policy.validity_windows,
    budgets: file.policy.budgets.map(budgetOf),
    batch: file.policy.batch.map(matchOf),
    headroomReserve: file.policy.headroom_percent / 100,
    layeredHints: file.policy.layered_hints,
  },
  spin: {
    isEnabled: file.spin.enabled,
    pollers: file.spin.pollers,
    maxExamined: file.spin.max_examined,
    cpuRatio: file.spin.cpu_percent / 100,
  },
  agent: {
    socketPath: file.agent.socket_path,
    pinDirectory: file.agent.pin_directory,
    stateDirectory: file.agent.state_directory,
  },
  log: file.log,
});

const NO_FILE: YamlValues = { values: {}, placeOf: () => 'configuration' };

const placesOf =
  (yaml: YamlValues, overrides: readonly Override[]): PlaceOf =>
  (path, which) =>
    overrides.findLast(({ key }) => key.path.every((name, at) => path[at] === name))?.where ??
    yaml.placeOf(path, which);

/** Pure: the caller has read the file. */
export const decodeConfigFile = ({
  file,
  flags,
  env,
}: ConfigInput): E.Either<readonly Complaint[], ConfigFile> =>
  pipe(
    file === undefined ? E.right(NO_FILE) : parseYaml(file.path, file.text),
    E.flatMap((yaml) => {
      const layers = overridesOf(flags, env);
      const values = withTextOfNumbers(yaml.values);
      const merged = applyLayer(applyLayer(values, layers.env), layers.flags);
      const placeOf = placesOf(yaml, [...layers.env, ...layers.flags]);
      const parsed = configSchema.safeParse(merged, { reportInput: true });
      const complaints = [
        ...(parsed.error?.issues ?? []).flatMap((issue) => complaintsOfIssue(issue, placeOf)),
        ...crossComplaints(merged, placeOf),
      ];
      return parsed.success && complaints.length === 0 ? E.right(parsed.data) : E.left(complaints);
    }),
  );

export const decodeConfig = (input: ConfigInput): E.Either<readonly Complaint[], Config> =>
  pipe(decodeConfigFile(input), E.map(configOfFile));

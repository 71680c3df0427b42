// SPDX-License-Identifier: Apache-2.0
/** Facts, plan and kernel features -> what `wattfeed check` says. Pure. */
import type { KernelFeature } from '../activity/port.js';
import type { ProbedPmu } from '../counters/probe.js';
import type { EnergyFacts } from '../energy/facts.js';
import type { EnergyPlan, PlannedDomain } from '../energy/plan-types.js';
import { sourceLabel } from '../energy/source-label.js';
import { printedDomain } from '../model/energy-domain.js';
import { slotMebibytes, type SlotTable } from '../model/slot-table.js';
import { counterFindings } from './counter-findings.js';
import { energyFindings } from './energy-findings.js';
import type { CheckEnvironment } from './environment.js';
import { kernelFindings } from './feature-findings.js';
import { featureState } from './feature-state.js';
import { hostFindings } from './host-findings.js';
import { CHECK_SCHEMA, type CheckDomain, type CheckResult, type FindingLevel } from './result.js';

export interface CheckInput {
  readonly facts: EnergyFacts;
  readonly plan: EnergyPlan;
  /** Empty: the addon could not be loaded. */
  readonly kernelFeatures: readonly KernelFeature[];
  readonly environment: CheckEnvironment;
  /** One per core PMU; empty where there is none or the addon could not be loaded. */
  readonly counters: readonly ProbedPmu[];
  readonly slots: SlotTable;
  readonly windowMillis: number;
}

const LEVELS: readonly FindingLevel[] = ['blocking', 'limited', 'note'];

const domainRow = ({ domain, evidence }: PlannedDomain): CheckDomain => ({
  ...printedDomain(domain),
  evidence,
});

const energySection = (plan: EnergyPlan): CheckResult['energy'] => {
  const label = sourceLabel(plan);
  const rows = (isWanted: (planned: PlannedDomain) => boolean): readonly CheckDomain[] =>
    plan.domains.filter(isWanted).map(domainRow);
  const isMeter = ({ domain }: PlannedDomain): boolean => domain.kind === 'platform';
  const { model } = plan;
  return {
    label: label.text,
    origin: label.origin,
    isGuess: label.isGuess,
    attributed: rows(({ domain }) => domain.isAttributed),
    breakdown: rows((planned) => !planned.domain.isAttributed && !isMeter(planned)),
    meters: rows(isMeter),
    dropped: plan.dropped.map(({ id, name, reason, detail }) => ({ id, name, reason, detail })),
    model:
      model === undefined
        ? null
        : {
            idleWatts: model.idleWatts,
            maxWatts: model.maxWatts,
            gamma: model.gamma,
            basis: model.basis,
          },
    longestWindowMillis: plan.longestWindowMillis ?? null,
  };
};

const hostSection = ({ facts, environment }: CheckInput): CheckResult['host'] => {
  const { topology, hasSmt, coreTypes } = facts.host;
  const online = topology.cpus.filter((cpu) => cpu.isOnline);
  return {
    cpu: facts.cpuModel.name,
    onlineCpus: online.length,
    packages: topology.packageIds.length,
    nodes: new Set(online.map((cpu) => cpu.nodeId)).size,
    hasSmt,
    coreTypes,
    hypervisor: facts.virtualization.hypervisor ?? null,
    kernelRelease: environment.kernelRelease,
  };
};

const securitySection = ({ environment }: CheckInput): CheckResult['security'] => {
  const { capabilities, perfEventParanoid, lockdown, isInitialPidNamespace } = environment;
  const names = (
    [
      ['CAP_BPF', capabilities?.bpf],
      ['CAP_PERFMON', capabilities?.perfmon],
      ['CAP_SYS_ADMIN', capabilities?.sysAdmin],
      ['CAP_DAC_READ_SEARCH', capabilities?.dacReadSearch],
    ] as const
  ).flatMap(([name, isHeld]) => (isHeld === true ? [name] : []));
  return {
    capabilities: capabilities === undefined ? null : names,
    perfEventParanoid: perfEventParanoid ?? null,
    lockdown: lockdown ?? null,
    isInitialPidNamespace: isInitialPidNamespace ?? null,
  };
};

export const diagnose = (input: CheckInput): CheckResult => {
  const { facts, plan, kernelFeatures, environment, slots } = input;
  const found = [
    ...kernelFindings(kernelFeatures, environment),
    ...energyFindings(facts, plan, input.windowMillis),
    ...hostFindings(facts, environment),
    ...counterFindings(input.counters, environment),
  ];
  const findings = LEVELS.flatMap((level) => found.filter((finding) => finding.level === level));
  const { layout, hierarchy, directory, reason } = environment.cgroup;
  return {
    schema: CHECK_SCHEMA,
    exitCode: findings.some(({ level }) => level === 'blocking') ? 1 : 0,
    host: hostSection(input),
    energy: energySection(plan),
    kernelFeatures: kernelFeatures.map((feature) => ({
      name: feature.name,
      isAvailable: feature.isAvailable,
      isProbed: featureState(feature, kernelFeatures) !== 'not-probed',
      detail: feature.detail,
    })),
    security: securitySection(input),
    corePmus: environment.corePmus,
    counters: input.counters.map(({ pmu, cpuCount, events, missing }) => ({
      pmu,
      cpuCount,
      events: events.map(({ kind, label, code }) => ({
        kind,
        label,
        error: code === '' ? null : code,
      })),
      missing,
    })),
    cgroup: { layout, hierarchy, directory, reason },
    slots: {
      count: slots.count,
      bytesEach: slots.bytesEach,
      mebibytes: slotMebibytes(slots),
    },
    findings,
  };
};

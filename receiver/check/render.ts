// SPDX-License-Identifier: Apache-2.0
/** CheckResult -> text of at most 80 columns. Pure; names from hardware are made printable. */
import { escapeText } from '../model/escape.js';
import type { CheckDomain, CheckResult, Finding, FindingLevel } from './result.js';
import { wrapText } from './wrap-text.js';

const COLUMNS = 80;
const LABEL_WIDTH = 11;
const KIND_WIDTH = 12;
const EVIDENCE_WIDTH_MAX = 30;

const MARKS: Readonly<Record<FindingLevel, string>> = {
  blocking: 'BLOCKING',
  limited: 'limited',
  note: 'note',
};

const labelled = (label: string, text: string): readonly string[] =>
  wrapText(text, COLUMNS, label.padEnd(LABEL_WIDTH), ' '.repeat(LABEL_WIDTH));

const hostText = ({ host }: CheckResult): string => {
  const kinds = host.coreTypes.length > 1 ? `, core types ${host.coreTypes.join(' and ')}` : '';
  const parts = [
    `${host.packages === 1 ? '' : `${String(host.packages)} x `}${host.cpu}`,
    `${String(host.onlineCpus)} CPUs`,
    host.hasSmt ? 'SMT' : 'no SMT',
    `${String(host.nodes)} NUMA node${host.nodes === 1 ? '' : 's'}${kinds}`,
  ];
  return parts.join(', ') + (host.hypervisor === null ? '' : `; guest of ${host.hypervisor}`);
};

const placeOf = ({ kind, packageId }: CheckDomain): string =>
  packageId === null ? 'machine' : `${kind} ${String(packageId)}`;

const domainLines = (title: string, domains: readonly CheckDomain[]): readonly string[] => {
  if (domains.length === 0) return [];
  const longest = Math.max(...domains.map(({ evidence }) => evidence.length));
  const width = Math.min(EVIDENCE_WIDTH_MAX, longest) + 2;
  const rows = domains.flatMap((domain) =>
    wrapText(
      `${domain.id} (${domain.name})`,
      COLUMNS,
      `    ${placeOf(domain).padEnd(KIND_WIDTH)}${domain.evidence.padEnd(width)}`,
      ' '.repeat(4 + KIND_WIDTH + width),
    ),
  );
  return [`  ${title}`, ...rows];
};

const droppedLines = ({ energy }: CheckResult): readonly string[] =>
  energy.dropped.length === 0
    ? []
    : [
        '  not used',
        ...energy.dropped.flatMap(({ id, name, reason, detail }) =>
          wrapText(`${id} (${name}) ${reason}: ${detail}`, COLUMNS, '    ', '      '),
        ),
      ];

const featureLines = ({ kernelFeatures }: CheckResult): readonly string[] => {
  type Feature = CheckResult['kernelFeatures'][number];
  const namesOf = (isWanted: (feature: Feature) => boolean): readonly string[] =>
    kernelFeatures.filter(isWanted).map(({ name }) => name);
  const present = namesOf(({ isAvailable }) => isAvailable);
  const missing = namesOf(({ isAvailable, isProbed }) => !isAvailable && isProbed);
  const unknown = namesOf(({ isProbed }) => !isProbed);
  if (kernelFeatures.length === 0) return labelled('features', 'not probed');
  return [
    ...labelled('features', present.length === 0 ? 'none' : present.join(', ')),
    ...(missing.length === 0 ? [] : labelled('  missing', missing.join(', '))),
    ...(unknown.length === 0 ? [] : labelled('  unknown', unknown.join(', '))),
  ];
};

const securityText = ({ security }: CheckResult): string => {
  const { capabilities, perfEventParanoid, lockdown, isInitialPidNamespace } = security;
  const held =
    capabilities === null ? 'unknown' : capabilities.length === 0 ? 'none' : capabilities.join(' ');
  return [
    held,
    `perf_event_paranoid ${perfEventParanoid === null ? 'unknown' : String(perfEventParanoid)}`,
    `lockdown ${lockdown ?? 'off'}`,
    isInitialPidNamespace === null
      ? 'pid namespace unknown'
      : isInitialPidNamespace
        ? 'initial pid namespace'
        : 'own pid namespace',
  ].join('; ');
};

const findingLines = ({ level, what, meaning, remedy }: Finding): readonly string[] => {
  const indent = ' '.repeat(LABEL_WIDTH);
  return [
    ...wrapText(what, COLUMNS, MARKS[level].padEnd(LABEL_WIDTH), indent),
    ...wrapText(meaning, COLUMNS, `${indent}means: `, `${indent}  `),
    ...(remedy === '' ? [] : wrapText(remedy, COLUMNS, `${indent}remedy: `, `${indent}  `)),
  ];
};

const counterLines = ({ corePmus, counters }: CheckResult): readonly string[] => {
  if (counters.length === 0)
    return labelled('counters', corePmus.length === 0 ? 'none' : corePmus.join(', '));
  return counters.flatMap(({ pmu, cpuCount, events }, at) => {
    const opened = events.filter(({ error }) => error === null).map(({ kind }) => kind);
    const kinds = opened.length === 0 ? 'nothing' : opened.join(', ');
    const cpus = `${String(cpuCount)} CPU${cpuCount === 1 ? '' : 's'}`;
    return labelled(at === 0 ? 'counters' : '', `${pmu} on ${cpus}: ${kinds}`);
  });
};

const groupedDigits = (value: number): string => value.toLocaleString('en-US');

const slotText = ({ slots }: CheckResult): string =>
  `${groupedDigits(slots.count)} x ${String(slots.bytesEach)} bytes = ${groupedDigits(slots.mebibytes)} MiB`;

const verdictText = ({ exitCode, energy }: CheckResult): string =>
  exitCode === 0
    ? `this machine can be measured, energy is ${energy.origin} (exit code 0)`
    : 'this machine cannot be measured until what is BLOCKING is mended (exit code 1)';

/** Ends with a newline. */
export const renderCheck = (result: CheckResult): string => {
  const { energy, cgroup } = result;
  const lines = [
    ...labelled('host', hostText(result)),
    ...labelled('kernel', result.host.kernelRelease),
    ...featureLines(result),
    ...labelled('rights', securityText(result)),
    ...labelled('energy', energy.label),
    ...domainLines('attributed to who runs', energy.attributed),
    ...domainLines('inside a package, shown only', energy.breakdown),
    ...domainLines('whole machine, attributed to nobody', energy.meters),
    ...droppedLines(result),
    ...counterLines(result),
    ...labelled(
      'cgroups',
      `${cgroup.layout}, ${cgroup.hierarchy} at ${cgroup.directory}: ${cgroup.reason}`,
    ),
    ...labelled('slots', slotText(result)),
    ...(result.findings.length === 0 ? [] : ['', ...result.findings.flatMap(findingLines)]),
    '',
    ...labelled('result', verdictText(result)),
  ];
  return `${lines.map(escapeText).join('\n')}\n`;
};

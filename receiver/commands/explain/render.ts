// SPDX-License-Identifier: Apache-2.0
/** An explanation as text of at most 80 columns: the worked example, with the entity's own numbers. Pure. */
import { escapeText } from '../../model/escape.js';
import type {
  ExplainedCalibration,
  ExplainedDomain,
  ExplainedEntity,
  ExplainedFeatures,
  ExplainedPool,
  ExplainedTerm,
  Explanation,
} from '../../model/explanation.js';
import { MICROJOULES_PER_JOULE } from '../../model/units.js';
import { wrapText } from '../../check/wrap-text.js';

const COLUMNS = 80;
const LABEL_COLUMNS = 40;
const AMOUNT_COLUMNS = 14;

const exactJoules = (microjoules: string): string => {
  const digits = microjoules.padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)} J`;
};

const joules = (value: number): string => `${value.toFixed(value >= 100 ? 1 : 3)} J`;
const percent = (ratio: number): string =>
  `${(ratio * 100).toFixed(ratio > 0 && ratio < 0.1 ? 2 : 1)} %`;

/** Four digits that say something, with the power of ten where there are many. */
const amount = (value: number): string =>
  value === 0 || (value >= 0.01 && value < 1e6) ? value.toPrecision(4) : value.toExponential(3);

const line = (label: string, value: string): string =>
  `  ${label.padEnd(LABEL_COLUMNS)}${value.padStart(AMOUNT_COLUMNS + 4)}`;

const entityLines = (entity: ExplainedEntity, window: Explanation['window']): readonly string[] => {
  const who =
    entity.kind === 'process'
      ? `process ${entity.pid ?? '?'} ${escapeText(entity.name)}, user ${escapeText(entity.user ?? '?')}`
      : 'cgroup, its own tasks only';
  return [
    who,
    `cgroup ${escapeText(entity.cgroup)}`,
    `window ${window.index}, ${window.durationSeconds.toFixed(3)} s`,
  ];
};

const featureText = (features: ExplainedFeatures): string => {
  if (features.rows === 0 || features.cpuSeconds === 0)
    return 'It did not run in this window: nothing was charged.';
  const { cpuSeconds, sharedCoreSeconds, countedRatio, cycles, instructions } = features;
  const ran = `It ran ${cpuSeconds.toFixed(3)} CPU seconds`;
  const shared =
    sharedCoreSeconds > 0
      ? `, ${sharedCoreSeconds.toFixed(3)} s of them beside a busy hardware thread`
      : '';
  if (countedRatio === 0) return `${ran}${shared}. Its hardware counters were not read.`;
  const perCycle = cycles > 0 ? ` (${(instructions / cycles).toFixed(2)} per cycle)` : '';
  return (
    `${ran}${shared}. Counters saw ${percent(countedRatio)} of it: ${amount(cycles)} cycles, ` +
    `${amount(instructions)} instructions${perCycle}, ${amount(features.llcMisses)} cache misses` +
    `${features.vectorOps > 0 ? `, ${amount(features.vectorOps)} vector operations` : ''}.`
  );
};

const SPLIT_WORDS: Readonly<Record<ExplainedDomain['split'], string>> = {
  counters: 'hardware counters',
  time: 'CPU time',
  seed: "the seed's formula",
  rss: 'resident memory',
};

const termLine = (term: ExplainedTerm): string => {
  const name = term.coreType === '' ? term.name : `${term.name} (${term.coreType})`;
  const of = `${amount(term.amount)} ${term.amountUnit}`.padStart(14);
  const by = `x ${term.coefficient.toPrecision(3)} ${term.coefficientUnit}`.padStart(14);
  return `    ${name.padEnd(24)}${of}${by}  = ${joules(term.joules).padStart(12)}`;
};

const WEIGHT_WORDS: Readonly<Record<string, string>> = {
  nJ: 'predicted energy',
  ns: 'CPU time',
  lines: 'lines missed',
  bytes: 'resident memory',
};

const poolLines = (pool: ExplainedPool, isOnly: boolean): readonly string[] => {
  const given = exactJoules(String(Math.round(Number(pool.microjoules) * pool.share)));
  const weight = WEIGHT_WORDS[pool.weightUnit] ?? 'weight';
  return [
    ...(isOnly ? [] : [line(pool.name, exactJoules(pool.microjoules))]),
    `  ${weight}: own ${amount(pool.ownWeight)} of everybody's ${amount(pool.allWeight)} ${pool.weightUnit}`,
    line(`share ${percent(pool.share)} of ${exactJoules(pool.microjoules)}`, given),
  ];
};

const activeOf = (domain: ExplainedDomain): string =>
  String(
    BigInt(domain.deltaMicrojoules) -
      BigInt(domain.igpuMicrojoules) -
      BigInt(domain.idleMicrojoules),
  );

const titleOf = (domain: ExplainedDomain): string => {
  const counted =
    domain.split === 'counters' ? `, ${percent(domain.countedShare)} of all task time counted` : '';
  const located =
    domain.locatedShare === null ? '' : `, place known of ${percent(domain.locatedShare)}`;
  return `${escapeText(domain.name)} (${escapeText(domain.id)}): ${domain.origin}, by ${SPLIT_WORDS[domain.split]}${counted}${located}`;
};

const domainLines = (domain: ExplainedDomain, idlePolicy: string): readonly string[] => {
  const span = domain.spanSeconds.toFixed(3);
  const floor =
    domain.idleFloorWatts === null
      ? 'less idle: no floor is known yet'
      : `less idle: ${domain.idleFloorWatts.toFixed(2)} W x ${span} s`;
  const isOnly = domain.pools.length === 1;
  return [
    '',
    ...wrapText(titleOf(domain), COLUMNS, '', '  '),
    line(`the counter rose in ${span} s by`, exactJoules(domain.deltaMicrojoules)),
    ...(domain.igpuMicrojoules === '0'
      ? []
      : [line('less graphics', exactJoules(domain.igpuMicrojoules))]),
    line(floor, exactJoules(domain.idleMicrojoules)),
    line('active', exactJoules(activeOf(domain))),
    ...domain.terms.map(termLine),
    ...domain.pools.flatMap((pool) => poolLines(pool, isOnly)),
    ...(idlePolicy === 'none' ? [] : [`  and its part of idle by policy ${idlePolicy}`]),
    line('charged, rounded to the microjoule', exactJoules(domain.ownMicrojoules)),
  ];
};

const sumLines = ({ domains, entity, window }: Explanation): readonly string[] => {
  const own = domains
    .filter(({ kind, origin }) => kind !== 'dram' || origin === 'measured')
    .reduce((sum, { ownMicrojoules }) => sum + BigInt(ownMicrojoules), 0n);
  // Absent is not zero: where no domain of memory is attributed there is nothing to say of it.
  const hasMemory = domains.some(({ kind }) => kind === 'dram') || entity.dramJoules > 0;
  const watts =
    window.durationSeconds > 0 ? Number(own) / MICROJOULES_PER_JOULE / window.durationSeconds : 0;
  return [
    '',
    `all domains of this window: ${exactJoules(String(own))}, ${watts.toFixed(3)} W`,
    `since the agent started: ${joules(entity.packageJoules)} package, ` +
      (hasMemory ? `${joules(entity.dramJoules)} memory, ` : '') +
      `${entity.cpuSeconds.toFixed(1)} CPU seconds`,
  ];
};

const calibrationText = (fit: ExplainedCalibration): string => {
  const error = fit.nrmse === null ? 'error not known yet' : `error ${percent(fit.nrmse)}`;
  const priors =
    fit.label === 'calibrated' && fit.priorNrmse !== null
      ? ` (the defaults ${percent(fit.priorNrmse)})`
      : '';
  const words = {
    prior: 'the defaults',
    calibrated: 'calibrated on this machine',
    modelled: 'the defaults: modelled energy teaches nothing',
  }[fit.label];
  return `coefficients of package ${fit.packageId}: ${words}; ${error}${priors}, ${fit.windows} windows`;
};

export const renderExplanation = (explanation: Explanation): string => {
  const { entity, window, features, domains, idlePolicy, calibration } = explanation;
  return [
    ...entityLines(entity, window),
    '',
    ...wrapText(featureText(features), COLUMNS, '', ''),
    ...domains.flatMap((domain) => domainLines(domain, idlePolicy)),
    ...sumLines(explanation),
    ...calibration.flatMap((fit) => wrapText(calibrationText(fit), COLUMNS, '', '  ')),
    '',
  ].join('\n');
};

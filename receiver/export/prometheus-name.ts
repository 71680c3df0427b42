// SPDX-License-Identifier: Apache-2.0
/**
 * The name a metric gets in Prometheus, by the OpenTelemetry specification's "Prometheus and
 * OpenMetrics compatibility": dots become underscores, the unit is spelled out and appended,
 * monotonic sums end in `_total`, gauges of unit `1` in `_ratio`.
 */
import type { Instrument } from './instruments.js';

const UNIT_WORDS: Readonly<Record<string, string>> = {
  J: 'joules',
  W: 'watts',
  s: 'seconds',
  By: 'bytes',
};

export const prometheusName = ({ name, unit, kind }: Instrument): string => {
  const base = name.replace(/[^a-zA-Z0-9_]/g, '_');
  const word = unit === '1' && kind === 'gauge' ? 'ratio' : (UNIT_WORDS[unit] ?? '');
  const withUnit = word === '' ? base : `${base}_${word}`;
  return kind === 'counter' ? `${withUnit}_total` : withUnit;
};

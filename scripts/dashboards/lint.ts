// SPDX-License-Identifier: Apache-2.0
/**
 * What Grafana's own dashboard linter asks for, and what only we can ask: that each metric and label of a
 * query is one that the agent exports. Pure.
 */
import { INSTRUMENTS, type Instrument } from '../../receiver/export/instruments.js';
import { prometheusName } from '../../receiver/export/prometheus-name.js';
import { ATTRIBUTES } from '../../receiver/export/attributes.js';
import type { Dashboard } from './panel.js';

/** Labels that the resource or the Collector gives, not the agent's data points. */
const RESOURCE_LABELS = ['job', 'instance', 'host_name', 'k8s_namespace_name', 'k8s_pod_name'];

const promName = (attribute: string): string => attribute.replace(/[^a-zA-Z0-9_]/g, '_');

const labelsOf = (instrument: Instrument): readonly string[] =>
  instrument.attributes.map((key) => promName(ATTRIBUTES[key][0]));

/** Metric → its labels, as Prometheus knows them. */
export const exportedMetrics = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.values<Instrument>(INSTRUMENTS).map((instrument) => [
      prometheusName(instrument),
      labelsOf(instrument),
    ]),
  );

const SELECTOR = /\b((?:wattfeed|hw)_[a-z0-9_]+)(\{[^}]*\})?/g;
const LABEL_OF_MATCHER = /([a-z_][a-z0-9_]*)\s*(?:=~|!~|!=|=)/g;
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const COUNTER_FUNCTION = /(?:rate|increase|irate)\($/;

const unknownLabels = (
  matchers: string,
  metric: string,
  labels: readonly string[],
): readonly string[] =>
  [...matchers.matchAll(LABEL_OF_MATCHER)]
    .map(([, label = '']) => label)
    .filter((label) => !labels.includes(label) && !RESOURCE_LABELS.includes(label))
    .map((label) => `${metric} has no label ${label}`);

/** What an expression names and the agent does not export. */
export const unknownNames = (
  expr: string,
  metrics: ReadonlyMap<string, readonly string[]>,
): readonly string[] => {
  // Labels that begin like a metric are not metrics: groupings and matchers are looked at by themselves.
  const groupedLabels = [...expr.matchAll(GROUPING)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  const bare = expr.replaceAll(GROUPING, ' ');
  const selectors = [...bare.matchAll(SELECTOR)];
  const wrongSelectors = selectors.flatMap(([, metric = '', matchers = '']) => {
    const labels = metrics.get(metric);
    return labels === undefined ? [`no metric ${metric}`] : unknownLabels(matchers, metric, labels);
  });
  const known = new Set([
    ...RESOURCE_LABELS,
    ...selectors.flatMap(([, metric = '']) => metrics.get(metric) ?? []),
  ]);
  const wrongGroupings = groupedLabels
    .filter((label) => label !== '' && !known.has(label))
    .map((label) => `groups by ${label}, which no metric of it has`);
  return [...wrongSelectors, ...wrongGroupings];
};

const panelFaults = (
  panel: Dashboard['panels'][number],
  metrics: ReadonlyMap<string, readonly string[]>,
): readonly string[] => {
  const faults: string[] = [];
  if (panel.title === '' || panel.description === '') faults.push('lacks title or description');
  for (const { expr, instant } of panel.targets) {
    if (!/job=~"\$job"/.test(expr) || !/host_name=~"\$host"/.test(expr))
      faults.push(`does not select by job and host: ${expr}`);
    if (/\[\d+[smh]\]/.test(expr)) faults.push(`has a fixed range: ${expr}`);
    if (!instant && expr.includes('$__range')) faults.push(`a line over $__range: ${expr}`);
    faults.push(...unknownNames(expr, metrics));
  }
  return faults;
};

/** All faults of a dashboard, one line each. */
export const dashboardFaults = (
  dashboard: Dashboard,
  metrics: ReadonlyMap<string, readonly string[]>,
): readonly string[] => {
  const faults: string[] = [];
  if (dashboard.editable) faults.push('is editable');
  const ids = dashboard.panels.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) faults.push('two panels have one id');
  for (const panel of dashboard.panels) {
    const { x, w } = panel.gridPos;
    if (x + w > 24) faults.push(`${panel.title}: wider than the grid`);
    faults.push(...panelFaults(panel, metrics).map((fault) => `${panel.title}: ${fault}`));
  }
  return faults;
};

/** Totals of counters are shown as they are only where the panel says "since"; else as a rate. */
export const isRawCounter = (expr: string, metric: string): boolean => {
  const at = expr.indexOf(metric);
  return at >= 0 && metric.endsWith('_total') && !COUNTER_FUNCTION.test(expr.slice(0, at));
};

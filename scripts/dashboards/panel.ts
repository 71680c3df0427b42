// SPDX-License-Identifier: Apache-2.0
/** Grafana's JSON, as far as our dashboards use it: typed builders, ids and places given in order. */

export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;

/** Units by Grafana's own names. */
export type PanelUnit =
  'watt' | 'joule' | 'kwatth' | 'short' | 's' | 'bytes' | 'percentunit' | 'none' | 'massg';

export interface Query {
  readonly expr: string;
  readonly legend?: string;
  /** One value at the end of the range, not a line. */
  readonly isInstant?: boolean;
}

export interface PanelSpec {
  readonly kind: 'stat' | 'timeseries' | 'table' | 'bargauge';
  readonly title: string;
  readonly description: string;
  readonly unit: PanelUnit;
  readonly queries: readonly Query[];
  /** Columns of 24. */
  readonly width: number;
  readonly height?: number;
  readonly isStacked?: boolean;
  /** Tables: labels that are not shown. */
  readonly hiddenColumns?: readonly string[];
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  readonly description: string;
}

const GRID_COLUMNS = 24;
const DEFAULT_HEIGHT = 8;
/** Of Grafana 11; newer ones migrate it when they load it. */
const SCHEMA_VERSION = 39;

const refId = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);

const target = (kind: PanelSpec['kind'], query: Query, index: number) => {
  const isInstant = query.isInstant ?? false;
  return {
    datasource: DATASOURCE,
    editorMode: 'code',
    expr: query.expr,
    legendFormat: query.legend ?? '__auto',
    refId: refId(index),
    range: !isInstant,
    instant: isInstant,
    ...(kind === 'table' ? { format: 'table' } : {}),
  };
};

const optionsOf = (spec: PanelSpec): object => {
  switch (spec.kind) {
    case 'timeseries':
      return {
        legend: {
          displayMode: 'table',
          placement: 'right',
          calcs: ['mean', 'max'],
          showLegend: true,
        },
        tooltip: { mode: 'multi', sort: 'desc' },
      };
    case 'stat':
      return { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'area' };
    case 'bargauge':
      return {
        reduceOptions: { calcs: ['lastNotNull'] },
        orientation: 'horizontal',
        displayMode: 'basic',
      };
    case 'table':
      return { sortBy: [{ displayName: 'Value', desc: true }], showHeader: true };
  }
};

const drawnAs = ({ kind, isStacked = false }: PanelSpec): object =>
  kind === 'timeseries'
    ? {
        lineWidth: 1,
        fillOpacity: isStacked ? 40 : 0,
        stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
      }
    : {};

const transformationsOf = ({ kind, hiddenColumns = [] }: PanelSpec): object =>
  kind === 'table'
    ? {
        transformations: [
          {
            id: 'organize',
            options: {
              excludeByName: Object.fromEntries(
                ['Time', ...hiddenColumns].map((name) => [name, true]),
              ),
            },
          },
        ],
      }
    : {};

const panelJson = (spec: PanelSpec, id: number, place: { x: number; y: number }) => ({
  id,
  type: spec.kind,
  title: spec.title,
  description: spec.description,
  datasource: DATASOURCE,
  gridPos: { h: spec.height ?? DEFAULT_HEIGHT, w: spec.width, ...place },
  fieldConfig: { defaults: { unit: spec.unit, custom: drawnAs(spec) }, overrides: [] },
  options: optionsOf(spec),
  targets: spec.queries.map((query, index) => target(spec.kind, query, index)),
  ...transformationsOf(spec),
});

/** From left to right, a new row where the width is used up. */
const placed = (specs: readonly PanelSpec[]) => {
  let x = 0;
  let y = 0;
  let rowHeight = 0;
  return specs.map((spec, index) => {
    if (x + spec.width > GRID_COLUMNS) {
      y += rowHeight;
      x = 0;
      rowHeight = 0;
    }
    const panel = panelJson(spec, index + 1, { x, y });
    x += spec.width;
    rowHeight = Math.max(rowHeight, spec.height ?? DEFAULT_HEIGHT);
    return panel;
  });
};

const datasourceVariable = {
  name: 'datasource',
  label: 'Data source',
  type: 'datasource',
  query: 'prometheus',
  hide: 0,
  refresh: 1,
};

/** A label's values, of those series that the variables before it leave. */
export const labelVariable = (
  { name, label, description }: Variable,
  metric: string,
  labelName: string,
  { isMulti = true } = {},
) => ({
  name,
  label,
  description,
  type: 'query',
  datasource: DATASOURCE,
  query: { query: `label_values(${metric}, ${labelName})`, refId: 'A' },
  definition: `label_values(${metric}, ${labelName})`,
  // On time range change: what ended before the range is not offered.
  refresh: 2,
  sort: 1,
  multi: isMulti,
  includeAll: isMulti,
  ...(isMulti ? { allValue: '.+', current: { text: 'All', value: '$__all' } } : {}),
});

/** A figure that the person types. */
export const textVariable = ({ name, label, description }: Variable, value: string) => ({
  name,
  label,
  description,
  type: 'textbox',
  query: value,
  current: { text: value, value },
  options: [{ text: value, value, selected: true }],
});

export interface DashboardSpec {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly object[];
  readonly panels: readonly PanelSpec[];
}

export const dashboardJson = (spec: DashboardSpec) => ({
  uid: spec.uid,
  title: spec.title,
  description: spec.description,
  tags: ['wattfeed', 'energy'],
  schemaVersion: SCHEMA_VERSION,
  // Generated: a change in Grafana would be lost at the next import.
  editable: false,
  graphTooltip: 1,
  refresh: '30s',
  time: { from: 'now-1h', to: 'now' },
  timezone: 'browser',
  links: [
    {
      title: 'Wattfeed',
      type: 'dashboards',
      tags: ['wattfeed'],
      asDropdown: true,
      includeVars: true,
      keepTime: true,
    },
  ],
  templating: { list: [datasourceVariable, ...spec.variables] },
  panels: placed(spec.panels),
});

export type Dashboard = ReturnType<typeof dashboardJson>;

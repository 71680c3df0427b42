// SPDX-License-Identifier: Apache-2.0
import { FLEET } from './fleet.js';
import { NODE } from './node.js';
import { dashboardJson, type Dashboard } from './panel.js';
import { WORKLOAD } from './workload.js';

/** By the name of the file. */
export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  fleet: dashboardJson(FLEET),
  node: dashboardJson(NODE),
  workload: dashboardJson(WORKLOAD),
};

export const dashboardText = (dashboard: Dashboard): string =>
  `${JSON.stringify(dashboard, null, 2)}\n`;

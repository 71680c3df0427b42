// SPDX-License-Identifier: Apache-2.0
/** Variables and expressions that all dashboards share. */
import { labelVariable, textVariable } from './panel.js';

/** What every selector begins with: one service, the chosen hosts. */
export const SELECT = 'job=~"$job", host_name=~"$host"';

const ALIVE = 'wattfeed_window_count_total';

export const JOB = labelVariable(
  { name: 'job', label: 'Job', description: 'service.name of the agents' },
  ALIVE,
  'job',
);

export const HOST = labelVariable(
  { name: 'host', label: 'Node', description: 'host.name of the nodes' },
  `${ALIVE}{job=~"$job"}`,
  'host_name',
);

/** Money and carbon are the reader's figures, never ours: wattfeed knows joules only. */
export const COST_VARIABLES = [
  textVariable(
    { name: 'price', label: 'Price per kWh', description: 'In your currency, as on your bill.' },
    '0.30',
  ),
  textVariable(
    {
      name: 'carbon',
      label: 'gCO₂ per kWh',
      description: 'Grams of CO₂ equivalent per kWh of your grid or contract.',
    },
    '300',
  ),
  textVariable(
    {
      name: 'pue',
      label: 'PUE',
      description: 'Energy of the whole site per energy of its machines; 1 leaves cooling out.',
    },
    '1',
  ),
];

const JOULES_PER_KWH = '3.6e6';

export const kilowattHours = (joules: string): string => `(${joules}) / ${JOULES_PER_KWH}`;
export const money = (joules: string): string => `${kilowattHours(joules)} * $pue * $price`;
export const gramsCo2 = (joules: string): string => `${kilowattHours(joules)} * $pue * $carbon`;

// SPDX-License-Identifier: Apache-2.0
/** Puts into each window's report what only the agent knows: who it is, how joules come about, its losses. */
import { slotRecord } from '../../native/layout.generated.js';
import type { Ledger } from '../attribution/ledger.js';
import { sourceLabel } from '../energy/source-label.js';
import type { AgentReport } from '../model/agent-report.js';
import type { SpinningThread } from '../model/spin.js';
import type { WindowReport } from '../model/window.js';
import { buildReport } from '../report/build-report.js';
import type { PackageCalibration } from '../attribution/calibration/calibration.js';
import { calibrationRow } from './calibration-row.js';
import type { Losses } from './losses.js';
import type { Machine } from './machine.js';

export interface ReportBuilderParts {
  readonly ledger: Ledger;
  /** Processes whose threads some viewer wants to see. */
  readonly watchedPids: () => ReadonlySet<number>;
  readonly losses: Losses;
  readonly machine: Machine;
  readonly version: string;
  readonly calibration: () => readonly PackageCalibration[];
  readonly spinning: () => readonly SpinningThread[];
}

export const reportBuilder = ({
  ledger,
  watchedPids,
  losses,
  machine,
  version,
  calibration,
  spinning,
}: ReportBuilderParts): ((window: WindowReport) => AgentReport) => {
  const source = sourceLabel(machine.plan);
  const agent = {
    pid: process.pid,
    version,
    startedUnixMillis: ledger.startUnixMillis,
    hostName: machine.host.name ?? '',
  };
  const cpuCount = machine.facts.host.topology.cpus.filter(({ isOnline }) => isOnline).length;
  return (window) =>
    buildReport({
      window,
      ledger,
      threadsOf: watchedPids(),
      agent,
      source,
      cpuCount,
      slotBytes: slotRecord.sizeBytes,
      losses: losses.counts(),
      calibration: calibration().map(calibrationRow),
      spinning: spinning(),
    });
};

// SPDX-License-Identifier: Apache-2.0
/** Real exporter, real producer, over a ledger that a test moves: all of the agent but the measuring. */
import * as E from 'fp-ts/lib/Either.js';
import { readEnvironment } from '../../receiver/export/environment.js';
import type { Environment } from '../../receiver/export/environment-reader.js';
import { startExport, type RunningExport } from '../../receiver/export/provider.js';
import { resourceAttributes } from '../../receiver/export/resource.js';
import { complaintText } from '../../receiver/model/errors.js';
import { MovingLedger } from './moving-ledger.js';
import { selfTotals } from './self-totals.js';
import { STAGES, workloadOptions } from './producer-rig.js';

export interface AgentOptions {
  readonly endpoint: string;
  readonly environment?: Environment;
  readonly maxSeries?: number;
  readonly exportsThreads?: boolean;
  /** Of the resource: which node this agent is. */
  readonly hostName?: string;
  readonly machineId?: string;
  readonly ledger?: MovingLedger;
}

export const HOST_ID = '0123456789abcdef0123456789abcdef';

export class ExportingAgent {
  readonly ledger: MovingLedger;
  readonly self = selfTotals(0);
  readonly said: string[] = [];
  readonly running: RunningExport;

  constructor({
    endpoint,
    environment = {},
    maxSeries = 1_000,
    exportsThreads = false,
    hostName = 'node-1',
    machineId = HOST_ID,
    ledger = new MovingLedger(),
  }: AgentOptions) {
    this.ledger = ledger;
    const settings = readEnvironment(environment, { intervalMillis: 1_000, timeoutMillis: 1_000 });
    if (E.isLeft(settings)) throw new Error(settings.left.map(complaintText).join('\n'));
    const running = startExport(
      {
        settings: settings.right,
        endpoint,
        resource: resourceAttributes({
          version: '1.2.3',
          hostName,
          machineId,
          serviceName: settings.right.serviceName,
          resourceAttributes: settings.right.resourceAttributes,
        }),
        producer: {
          version: '1.2.3',
          processes: { isExported: true, hasCpuTime: true, maxSeries },
          cgroups: { isExported: true, hasCpuTime: true, maxSeries },
          threads: { isExported: exportsThreads, hasCpuTime: true, maxSeries },
          workloads: workloadOptions({ isExported: true, hasCpuTime: false, maxSeries }),
        },
      },
      {
        ledger: this.ledger,
        self: this.self,
        retireExported: this.ledger.retire,
        retireExportedThreads: this.ledger.retireThreads,
        retireExportedCgroups: () => undefined,
        retireExportedWorkloads: () => undefined,
        say: (text) => this.said.push(text),
        nowMillis: () => performance.now(),
      },
    );
    if (running === undefined) throw new Error('nothing is exported');
    this.running = running;
  }

  closeWindow(): void {
    this.self.book(this.ledger.window(200), STAGES);
  }
}

// SPDX-License-Identifier: Apache-2.0
/** What a measurement says when it has begun: what is odd, which sources count, what the slots take. */
import type { EnergyPlan } from '../energy/plan-types.js';
import { windowComplaint } from '../energy/window-length.js';
import { complaintText, type Complaint } from '../model/errors.js';
import { slotMebibytes, type SlotTable } from '../model/slot-table.js';
import type { Logger } from './logger.js';

export interface StartFacts {
  readonly plan: EnergyPlan;
  /** What was odd about the host's CPUs. */
  readonly hostNotes: readonly Complaint[];
  readonly counterNotes: readonly Complaint[];
  readonly slots: SlotTable;
  readonly windowMillis: number;
}

export const sayStart = (facts: StartFacts, logger: Logger): void => {
  const { plan, hostNotes, counterNotes, slots, windowMillis } = facts;
  const tooLong = windowComplaint(plan, windowMillis);
  for (const note of [...hostNotes, ...plan.notes, ...counterNotes, ...(tooLong ? [tooLong] : [])])
    logger.warn(complaintText(note));
  for (const { id, reason, detail } of plan.dropped)
    logger.debug('energy source not used', { id, reason, detail });
  for (const { domain, evidence } of plan.domains)
    logger.info('energy domain', {
      id: domain.id,
      kind: domain.kind,
      source: domain.source,
      evidence,
    });
  logger.info('task slots', { ...slots, mebibytes: slotMebibytes(slots) });
};

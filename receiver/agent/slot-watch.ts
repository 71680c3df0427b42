// SPDX-License-Identifier: Apache-2.0
/** Warns before the table of task slots is full: from then on new tasks have no account of their own. */
import { complaintText, type Complaint } from '../model/errors.js';
import type { WindowReport } from '../model/window.js';
import type { Logger } from './logger.js';

const RAISE_RATIO = 0.8;
/** Below the other one, so that a table around 80 % is one warning and not one per window. */
const CLEAR_RATIO = 0.7;
/** The most that accounting.max_tasks takes. */
const MAX_TASKS = 4_194_304;

export type SlotUse = Pick<WindowReport, 'slotsUsed' | 'slotsLimit'>;

/** Whether the alarm stands after this window: from 80 % on, until less than 70 % is used. */
export const isSlotAlarm = (wasRaised: boolean, { slotsUsed, slotsLimit }: SlotUse): boolean =>
  slotsUsed >= slotsLimit * (wasRaised ? CLEAR_RATIO : RAISE_RATIO);

/** Entry 0 of the kernel's table stands for "no slot": one less than accounting.max_tasks can be taken. */
const maxTasksOf = ({ slotsLimit }: SlotUse): number => slotsLimit + 1;

export const slotComplaint = (use: SlotUse): Complaint => ({
  what: 'keep a slot for every task',
  cause: `${String(use.slotsUsed)} of ${String(use.slotsLimit)} are used; tasks that find none are charged to their cgroup only`,
  remedy:
    maxTasksOf(use) < MAX_TASKS
      ? `raise accounting.max_tasks to ${String(maxTasksOf(use) * 2)}`
      : '',
});

/** To be called with each window; one warning per alarm. */
export const createSlotWatch = (logger: Pick<Logger, 'warn'>): ((use: SlotUse) => void) => {
  let isRaised = false;
  return (use) => {
    const wasRaised = isRaised;
    isRaised = isSlotAlarm(wasRaised, use);
    if (isRaised && !wasRaised) logger.warn(complaintText(slotComplaint(use)));
  };
};

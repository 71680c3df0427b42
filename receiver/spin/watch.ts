// SPDX-License-Identifier: Apache-2.0
/**
 * The agent's look-out for spinning threads: candidates of each window, a few of them examined at a time,
 * what was found as states that do not flicker, and what these threads cost.
 */
import type { ActivityWindow, TaskSample } from '../model/activity.js';
import type { SpinKind, SpinningThread, SpinVerdict } from '../model/spin.js';
import { microjoules, nanos, type Microjoules } from '../model/units.js';
import { threadKey } from '../model/ledger-view.js';
import type { WindowShares } from '../model/window.js';
import { SpinCandidates, type SpinCandidate } from './candidates.js';
import type { Examination } from './examine.js';
import { TimeBudget } from './time-budget.js';
import { INITIAL_SPIN_STATE, nextSpinState, type SpinState } from './hysteresis.js';

/** A thread that was found to spin, or no longer does. */
export interface SpinChange {
  readonly candidate: SpinCandidate;
  readonly kind: SpinKind;
  readonly confidence: number;
  readonly evidence: string;
  /** False: it has stopped, and these are what it was. */
  readonly isActive: boolean;
  readonly wastedMicrojoules: Microjoules;
}

export interface PricedExamination extends Examination {
  /** CPU time that deciding took. */
  readonly costMillis: number;
}

export interface SpinWatchPorts {
  /** Samples a thread; undefined: it could not be, or has gone. Never throws. */
  readonly examine: (candidate: SpinCandidate) => Promise<PricedExamination | undefined>;
  readonly nowMillis: () => number;
  readonly onChange: (change: SpinChange) => void;
}

export interface SpinWatchLimits {
  /** Examined at a time. */
  readonly maxExamined: number;
  /** Of one CPU, for deciding. */
  readonly cpuRatio: number;
}

interface Watched {
  readonly candidate: SpinCandidate;
  state: SpinState;
  isExamined: boolean;
  nextMillis: number;
  pauseMillis: number;
  /** Windows since it was last a candidate. */
  quietWindows: number;
  /** Since it was found to spin, by how it did. */
  readonly costs: Map<SpinKind, Cost>;
}

interface Cost {
  energy: bigint;
  time: bigint;
}

/** A first verdict soon, a sure one within 10 s; then rarer and rarer while nothing changes. */
const FIRST_PAUSE_MILLIS = 500;
const LONGEST_PAUSE_MILLIS = 60_000;
const NEVER_LOOKED_AT = 0;
/** Of the budget, for threads that nobody has looked at: another look at the known ones can wait. */
const RESERVE_MILLIS = 250;
/** A thread that sleeps does not spin. */
const QUIET_WINDOWS_TO_RESET = 5;
const QUIET_WINDOWS_TO_FORGET = 60;

const costOf = ({ costs }: Watched, kind: SpinKind): Cost => {
  const cost = costs.get(kind) ?? { energy: 0n, time: 0n };
  costs.set(kind, cost);
  return cost;
};

const wastedBy = ({ costs }: Watched): Microjoules =>
  microjoules([...costs.values()].reduce((sum, { energy }) => sum + energy, 0n));

/** In a row, until it is decided. */
const MAX_ROUNDS = 5;

/** The last verdict speaks against what is held of the thread. */
const isUndecided = ({ active }: SpinState, { _tag }: SpinVerdict): boolean =>
  (active === undefined && _tag === 'Spinning') || (active !== undefined && _tag === 'Working');

/** More threads than this are not watched: each may have a series. */
const MAX_WATCHED = 512;

export class SpinWatch {
  readonly #candidates = new SpinCandidates();
  readonly #watched = new Map<string, Watched>();
  readonly #budget: TimeBudget;
  #examinedCount = 0;
  /** Without any, no window is walked through. */
  #hasActive = false;

  constructor(
    private readonly ports: SpinWatchPorts,
    private readonly limits: SpinWatchLimits,
  ) {
    this.#budget = new TimeBudget(limits.cpuRatio);
  }

  /** To be called with every window, after it was attributed. */
  observe(window: ActivityWindow, shares: WindowShares): void {
    this.#charge(window, shares);
    const candidates = this.#candidates.observe(window);
    this.#age(new Set(candidates.map(({ key }) => key)));
    // Those that nobody has looked at yet come first.
    const pauseOf = ({ key }: SpinCandidate): number => this.#watched.get(key)?.pauseMillis ?? 0;
    for (const candidate of candidates.toSorted((a, b) => pauseOf(a) - pauseOf(b)))
      this.#consider(candidate);
  }

  /** As last judged, and not cleared since; not by design. */
  isSpinning({ tid, startBoottimeNanos }: TaskSample): boolean {
    if (!this.#hasActive) return false;
    const watched = this.#watched.get(threadKey(tid, startBoottimeNanos));
    const kind = watched?.state.active?.kind;
    return kind !== undefined && kind !== 'polling';
  }

  /** Those that spin, and those that did until a minute ago. */
  spinning(): readonly SpinningThread[] {
    return [...this.#watched.values()].flatMap(({ candidate, state, costs }) =>
      [...costs].map(([kind, { energy, time }]) => ({
        pid: candidate.tgid,
        tid: candidate.tid,
        processName: candidate.processName,
        threadName: candidate.threadName,
        kind,
        energy: microjoules(energy),
        time: nanos(time),
        isActive: state.active?.kind === kind,
      })),
    );
  }

  /** Its energy since it was found to spin. */
  #charge(window: ActivityWindow, shares: WindowShares): void {
    if (!this.#hasActive) return;
    window.tasks.forEach((task, row) => {
      const watched = this.#watched.get(threadKey(task.tid, task.startBoottimeNanos));
      const kind = watched?.state.active?.kind;
      if (watched === undefined || kind === undefined) return;
      const energy = BigInt((shares.tasks.package[row] ?? 0) + (shares.tasks.dram[row] ?? 0));
      const cost = costOf(watched, kind);
      cost.energy += energy;
      cost.time += BigInt(task.runtimeNanos);
    });
  }

  #age(now: ReadonlySet<string>): void {
    for (const [key, watched] of this.#watched) {
      watched.quietWindows = now.has(key) ? 0 : watched.quietWindows + 1;
      if (watched.quietWindows === QUIET_WINDOWS_TO_RESET) this.#enter(watched, INITIAL_SPIN_STATE);
      if (watched.quietWindows >= QUIET_WINDOWS_TO_FORGET && !watched.isExamined)
        this.#watched.delete(key);
    }
  }

  #consider(candidate: SpinCandidate): void {
    if (this.#watched.size >= MAX_WATCHED && !this.#watched.has(candidate.key)) return;
    const watched = this.#watchedOf(candidate);
    const nowMillis = this.ports.nowMillis();
    const reserveMillis = watched.nextMillis === NEVER_LOOKED_AT ? 0 : RESERVE_MILLIS;
    const isDue = nowMillis >= watched.nextMillis && this.#budget.isLeft(nowMillis, reserveMillis);
    if (watched.isExamined || !isDue || this.#examinedCount >= this.limits.maxExamined) return;
    void this.#examine(watched, candidate);
  }

  #watchedOf(candidate: SpinCandidate): Watched {
    const known = this.#watched.get(candidate.key);
    if (known !== undefined) return known;
    const watched: Watched = {
      candidate,
      state: INITIAL_SPIN_STATE,
      isExamined: false,
      nextMillis: NEVER_LOOKED_AT,
      // One look at a thread that waits for memory, as counters say, and the next when others had theirs.
      pauseMillis: candidate.likeness === 'memory' ? LONGEST_PAUSE_MILLIS : FIRST_PAUSE_MILLIS,
      quietWindows: 0,
      costs: new Map(),
    };
    this.#watched.set(candidate.key, watched);
    return watched;
  }

  async #examine(watched: Watched, candidate: SpinCandidate): Promise<void> {
    watched.isExamined = true;
    this.#examinedCount += 1;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const examination = await this.ports.examine(candidate);
      if (examination === undefined) break;
      this.#budget.spend(examination.costMillis);
      this.#enter(watched, nextSpinState(watched.state, examination.verdict));
      if (!isUndecided(watched.state, examination.verdict)) break;
    }
    this.#examinedCount -= 1;
    watched.isExamined = false;
    watched.nextMillis = this.ports.nowMillis() + watched.pauseMillis;
    watched.pauseMillis = Math.min(2 * watched.pauseMillis, LONGEST_PAUSE_MILLIS);
  }

  #enter(watched: Watched, next: SpinState): void {
    const before = watched.state.active;
    watched.state = next;
    this.#hasActive = [...this.#watched.values()].some(({ state }) => state.active !== undefined);
    const { candidate } = watched;
    const wastedMicrojoules = wastedBy(watched);
    if (next.active !== undefined && before === undefined) {
      // Begins at zero, so that a rise is seen by whoever watches the series.
      costOf(watched, next.active.kind);
      this.ports.onChange({ ...next.active, candidate, isActive: true, wastedMicrojoules });
    } else if (next.active === undefined && before !== undefined) {
      watched.pauseMillis = FIRST_PAUSE_MILLIS;
      this.ports.onChange({ ...before, candidate, isActive: false, wastedMicrojoules });
    }
  }
}

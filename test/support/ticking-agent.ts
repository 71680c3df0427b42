// SPDX-License-Identifier: Apache-2.0
/** An exporting agent that lives: every 100 ms its processes burn, come and go, and a window closes. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ExportingAgent, type AgentOptions } from './exporting-agent.js';
import type { MovingProcess } from './moving-ledger.js';

const WINDOW_MILLIS = 100;
const LIVE_PROCESSES = 20;
/** Above the least energy of an ended process that gets a series: 1 J. */
const BURN_MICROJOULES = 300_007n;
const NANOS_PER_MILLI = 1e6;

export class TickingAgent {
  readonly agent: ExportingAgent;
  readonly #delay = monitorEventLoopDelay({ resolution: 1 });
  readonly #living: MovingProcess[] = [];
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;

  constructor(options: AgentOptions) {
    this.agent = new ExportingAgent(options);
    this.#delay.enable();
    this.#timer = setInterval(() => this.#tick(), WINDOW_MILLIS);
  }

  get ticks(): number {
    return this.#ticks;
  }

  /** Longest time that the event loop was held up since the last call. */
  takeMaxBlockMillis(): number {
    const most = this.#delay.max / NANOS_PER_MILLI;
    this.#delay.reset();
    return most;
  }

  #tick(): void {
    const { ledger } = this.agent;
    this.#ticks += 1;
    this.#living.push(ledger.begin(1_000 + this.#ticks, BigInt(this.#ticks % 3)));
    for (const [index, process] of this.#living.entries()) {
      ledger.burn(process, BURN_MICROJOULES + BigInt(index));
    }
    if (this.#living.length > LIVE_PROCESSES) {
      const oldest = this.#living.shift();
      if (oldest !== undefined) oldest.isExited = true;
    }
    this.agent.closeWindow();
  }

  /** Nothing moves any more; what was burned stays to be exported. */
  freeze(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }
}

// SPDX-License-Identifier: Apache-2.0
/** Puts a mix's jobs on a machine's CPUs, and the system's own noise beside them. */
import { CLASSES, type CodeClass } from './classes.js';
import {
  Thread,
  always,
  turns,
  type InterruptLoad,
  type Job,
  type Lane,
  type Placement,
} from './load.js';
import type { Machine } from './machine.js';
import type { Random } from './random.js';
import type { Load } from './simulator.js';

interface JobOptions {
  readonly rssBytes?: number;
  readonly homeNode?: number;
  /** Not given: hidden, and another one for each job. */
  readonly dataFactor?: number;
}

/** Hidden spread of the data's energy among jobs. */
const DATA_SIGMA = 0.06;
const DEFAULT_RSS_BYTES = 2 ** 30;
const FIRST_CGROUP = 100n;

export class LoadBuilder {
  private readonly jobs: Job[] = [];
  private readonly placements: Placement[] = [];
  private readonly interruptLoads: InterruptLoad[] = [];

  public constructor(
    private readonly machine: Machine,
    private readonly random: Random,
    /** Rises over a whole run, so that no pid is used twice. */
    private readonly nextPid: () => number,
  ) {}

  public cpu(core: number, thread: 0 | 1 = 0, packageId = 0): number {
    const found = this.machine.topology.cpus.filter(
      (cpu) => cpu.packageId === packageId && cpu.coreId === core && cpu.smtSibling !== undefined,
    )[thread];
    if (found === undefined) throw new Error(`no core ${core.toString()} with two threads`);
    return found.cpu;
  }

  public efficient(at: number): number {
    const found = this.machine.topology.cpus.filter((cpu) => cpu.coreType === 'atom')[at];
    if (found === undefined) throw new Error(`no efficient core ${at.toString()}`);
    return found.cpu;
  }

  public job(name: string, options: JobOptions = {}): Job {
    const factor = options.dataFactor ?? this.random.lognormal(DATA_SIGMA);
    const job: Job = {
      index: this.jobs.length,
      name,
      cgroupId: FIRST_CGROUP + BigInt(this.jobs.length),
      rssBytes: options.rssBytes ?? DEFAULT_RSS_BYTES * this.random.lognormal(0.7),
      homeNode: options.homeNode,
      dataFactor: factor,
      meanDataFactor: factor,
    };
    this.jobs.push(job);
    return job;
  }

  public thread(job: Job, code: CodeClass): Thread {
    const pid = this.nextPid();
    return new Thread(job, pid, pid, job.name, code);
  }

  public place(cpu: number, lane: Lane, fixedGigahertz?: number): void {
    this.placements.push({
      cpu,
      lane,
      ...(fixedGigahertz === undefined ? {} : { fixedGigahertz }),
    });
  }

  /** One job with a thread that never leaves each of these CPUs. */
  public solo(
    name: string,
    code: CodeClass,
    cpus: readonly number[],
    fixedGigahertz?: number,
  ): Job {
    const job = this.job(name);
    for (const cpu of cpus) this.place(cpu, always(this.thread(job, code)), fixedGigahertz);
    return job;
  }

  /** Processes that live for milliseconds, one after another on each CPU. */
  public storm(
    name: string,
    code: CodeClass,
    cpus: readonly number[],
    least: number,
    most: number,
  ): Job {
    const job = this.job(name);
    for (const cpu of cpus) this.place(cpu, this.stormLane(job, code, least, most));
    return job;
  }

  /** Many tasks that take short turns on a few CPUs, which are busy for `ratio` of the time. */
  public crowd(
    name: string,
    code: CodeClass,
    count: number,
    cpus: readonly number[],
    sliceMillis: number,
    ratio: number,
  ): Job {
    const job = this.job(name);
    cpus.forEach((cpu, place) => {
      const own = Array.from({ length: count }, (_, at) => at)
        .filter((at) => at % cpus.length === place)
        .map(() => this.thread(job, code));
      const pauses = Math.round((own.length * (1 - ratio)) / ratio);
      this.place(cpu, turns(this.spread(own, pauses), sliceMillis));
    });
    return job;
  }

  public interrupts(cpu: number, ratio: number): void {
    this.interruptLoads.push({ cpu, ratio });
  }

  /** Adds the daemons that every system has: a millisecond now and then, on CPUs that are free. */
  public finish({
    multiplexing,
    raplUpdateMillis,
  }: Pick<Load, 'multiplexing' | 'raplUpdateMillis'>): Load {
    const system = this.job('system');
    const taken = new Set(this.placements.map(({ cpu }) => cpu));
    const free = this.machine.topology.cpus.map(({ cpu }) => cpu).filter((cpu) => !taken.has(cpu));
    for (let daemon = 0; daemon < 4 && free.length > 0; daemon++) {
      const at = this.random.integer(0, free.length - 1);
      const cpu = free.splice(at, 1)[0] ?? 0;
      const thread = this.thread(system, CLASSES.tiny);
      const period = this.random.integer(90, 200);
      const offset = this.random.integer(0, period);
      this.place(cpu, (millis) => ((millis + offset) % period === 0 ? thread : undefined));
    }
    return {
      jobs: this.jobs,
      placements: this.placements,
      interrupts: this.interruptLoads,
      multiplexing,
      raplUpdateMillis,
    };
  }

  private stormLane(job: Job, code: CodeClass, least: number, most: number): Lane {
    let current: Thread | undefined;
    let until = -1;
    return (at) => {
      if (at < until) return current;
      if (current !== undefined) {
        current.isDead = true;
        current = undefined;
        until = at + this.random.integer(0, 1);
        if (at < until) return undefined;
      }
      current = this.thread(job, code);
      until = at + this.random.integer(least, most);
      return current;
    };
  }

  /** Pauses between the threads, evenly. */
  private spread(threads: readonly Thread[], pauses: number): readonly (Thread | undefined)[] {
    const all = threads.length + pauses;
    let next = 0;
    return Array.from({ length: all }, (_, at) => {
      const isThread = Math.floor(((at + 1) * threads.length) / all) > next;
      return isThread ? threads[next++] : undefined;
    });
  }
}

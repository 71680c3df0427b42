// SPDX-License-Identifier: Apache-2.0
/** What kinds of code the simulated machine runs. Figures from public measurements, none from our own model. */

export interface CodeClass {
  readonly name: string;
  /** Alone on a core at `IPC_GIGAHERTZ`, memory local and unsaturated. */
  readonly soloIpc: number;
  /** Energy of an instruction beside the plain integer one. */
  readonly energyFactor: number;
  /** Cache lines read from memory per 1,000 instructions. */
  readonly linesPerKiloinstr: number;
  /** Part of these that the LLC-miss event sees (prefetches hide from it). */
  readonly visibleMissRatio: number;
  /** Lines written back per line read; no event of the task's sees them. */
  readonly writebackRatio: number;
  /** Part of the lines that opens another DRAM row. */
  readonly rowMissRatio: number;
  /** Part of the time that is waiting for memory, alone and unsaturated. */
  readonly stallRatio: number;
  /** How much it slows its SMT sibling, and how much it is slowed, both 0..1. */
  readonly smtPressure: number;
  readonly smtSensitivity: number;
  /** Wide vector instructions the counter sees per instruction (an FMA counts twice). */
  readonly vectorPerInstr: number;
  /** Of these: 512 bits wide, which another event counts. */
  readonly vector512Ratio: number;
  /** The licence: no higher clock while such code runs on the core. */
  readonly maxGigahertz: number;
  /** Loads and stores per instruction: what one seed takes for memory traffic. */
  readonly accessesPerInstr: number;
}

/** Solo IPC is stated at this clock. */
export const IPC_GIGAHERTZ = 3.2;

const NO_CAP = Number.POSITIVE_INFINITY;

const plain = {
  visibleMissRatio: 0.9,
  writebackRatio: 0.2,
  rowMissRatio: 0.5,
  smtSensitivity: 1,
  vectorPerInstr: 0,
  vector512Ratio: 0,
  maxGigahertz: NO_CAP,
  accessesPerInstr: 0.4,
};

export const CLASSES = {
  intHigh: {
    ...plain,
    name: 'intHigh',
    soloIpc: 2.6,
    energyFactor: 1,
    linesPerKiloinstr: 0.1,
    stallRatio: 0.02,
    smtPressure: 0.85,
  },
  intMid: {
    ...plain,
    name: 'intMid',
    soloIpc: 1.6,
    energyFactor: 1,
    linesPerKiloinstr: 0.6,
    stallRatio: 0.1,
    smtPressure: 0.75,
  },
  branchy: {
    ...plain,
    name: 'branchy',
    soloIpc: 0.8,
    energyFactor: 1.1,
    linesPerKiloinstr: 1.5,
    stallRatio: 0.2,
    smtPressure: 0.55,
    accessesPerInstr: 0.35,
  },
  avx2: {
    ...plain,
    name: 'avx2',
    soloIpc: 2.2,
    energyFactor: 2,
    linesPerKiloinstr: 0.4,
    stallRatio: 0.03,
    smtPressure: 0.9,
    vectorPerInstr: 0.6,
    maxGigahertz: 3,
    accessesPerInstr: 0.45,
  },
  avx512: {
    ...plain,
    name: 'avx512',
    soloIpc: 1.8,
    energyFactor: 3.9,
    linesPerKiloinstr: 0.4,
    stallRatio: 0.03,
    smtPressure: 1,
    vectorPerInstr: 0.8,
    vector512Ratio: 1,
    maxGigahertz: 2.6,
    accessesPerInstr: 0.45,
  },
  stream: {
    ...plain,
    name: 'stream',
    soloIpc: 0.45,
    energyFactor: 1.2,
    linesPerKiloinstr: 110,
    visibleMissRatio: 0.5,
    writebackRatio: 0.35,
    rowMissRatio: 0.15,
    stallRatio: 0.8,
    smtPressure: 0.6,
    accessesPerInstr: 0.55,
  },
  chase: {
    ...plain,
    name: 'chase',
    soloIpc: 0.15,
    energyFactor: 1,
    linesPerKiloinstr: 98,
    visibleMissRatio: 1,
    writebackRatio: 0,
    rowMissRatio: 0.9,
    stallRatio: 0.93,
    smtPressure: 0.15,
    smtSensitivity: 0.5,
    accessesPerInstr: 0.3,
  },
  pauseSpin: {
    ...plain,
    name: 'pauseSpin',
    soloIpc: 0.06,
    energyFactor: 0.5,
    linesPerKiloinstr: 0,
    stallRatio: 0,
    smtPressure: 0.05,
    accessesPerInstr: 0.25,
  },
  tightSpin: {
    ...plain,
    name: 'tightSpin',
    soloIpc: 2.8,
    energyFactor: 0.55,
    linesPerKiloinstr: 0,
    stallRatio: 0,
    smtPressure: 0.85,
    accessesPerInstr: 0.3,
  },
  poller: {
    ...plain,
    name: 'poller',
    soloIpc: 1.9,
    energyFactor: 0.8,
    linesPerKiloinstr: 0.2,
    stallRatio: 0.02,
    smtPressure: 0.65,
  },
  tiny: {
    ...plain,
    name: 'tiny',
    soloIpc: 1.1,
    energyFactor: 1.05,
    linesPerKiloinstr: 2,
    stallRatio: 0.25,
    smtPressure: 0.6,
  },
  interrupt: {
    ...plain,
    name: 'interrupt',
    soloIpc: 0.9,
    energyFactor: 1.05,
    linesPerKiloinstr: 4,
    stallRatio: 0.3,
    smtPressure: 0.6,
  },
} as const satisfies Readonly<Record<string, CodeClass>>;

export type ClassName = keyof typeof CLASSES;

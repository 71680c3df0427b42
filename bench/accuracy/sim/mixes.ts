// SPDX-License-Identifier: Apache-2.0
/** The mixes of load that the splits are judged on: the 20 of the study behind docs/attribution.md, and harder ones. */
import { CLASSES } from './classes.js';
import { always, duty, hop, phases } from './load.js';
import { type LoadBuilder } from './load-builder.js';
import { HYBRID, SERVER, type MachineShape } from './machine.js';

export interface Mix {
  readonly id: string;
  readonly title: string;
  readonly shape: MachineShape;
  /** Two threads of one core are busy in it: judged by the SMT bound. */
  readonly isSmt: boolean;
  readonly multiplexing: number;
  readonly raplUpdateMillis: number;
  readonly build: (load: LoadBuilder) => void;
}

const mix = (
  id: string,
  title: string,
  build: Mix['build'],
  more: Partial<Omit<Mix, 'id' | 'title' | 'build'>> = {},
): Mix => ({
  id,
  title,
  shape: SERVER,
  isSmt: false,
  multiplexing: 1,
  raplUpdateMillis: 1,
  build,
  ...more,
});

const { intHigh, intMid, branchy, avx2, avx512, stream, chase, pauseSpin, tightSpin } = CLASSES;
const { poller, tiny } = CLASSES;
const GIBIBYTE = 2 ** 30;
const isSmt = true;

/** The 20 of the study. */
export const STUDY_MIXES: readonly Mix[] = [
  mix('01', '4 equal compute', (on) => {
    for (let core = 0; core < 4; core++)
      on.solo(`equal-${core.toString()}`, intMid, [on.cpu(core)]);
  }),
  mix('02', 'int, AVX-512', (on) => {
    on.solo('int', intMid, [on.cpu(0), on.cpu(1)]);
    on.solo('avx512', avx512, [on.cpu(2), on.cpu(3)]);
  }),
  mix('03', 'int, AVX2', (on) => {
    on.solo('int', intMid, [on.cpu(0), on.cpu(1)]);
    on.solo('avx2', avx2, [on.cpu(2), on.cpu(3)]);
  }),
  mix('04', 'IPC 2.6, 0.8', (on) => {
    on.solo('high', intHigh, [on.cpu(0), on.cpu(1)]);
    on.solo('low', branchy, [on.cpu(2), on.cpu(3)]);
  }),
  mix('05', 'stream, compute', (on) => {
    on.solo('stream', stream, [on.cpu(0), on.cpu(1), on.cpu(2)]);
    on.solo('int', intMid, [on.cpu(3), on.cpu(4), on.cpu(5)]);
  }),
  mix('06', 'pointer chase, compute', (on) => {
    on.solo('chase', chase, [on.cpu(0), on.cpu(1), on.cpu(2)]);
    on.solo('int', intMid, [on.cpu(3), on.cpu(4), on.cpu(5)]);
  }),
  mix(
    '07',
    'SMT pairs, solo cores',
    (on) => {
      on.solo('pairs', intMid, [on.cpu(0), on.cpu(0, 1), on.cpu(1), on.cpu(1, 1)]);
      on.solo('solo', intMid, [on.cpu(2), on.cpu(3), on.cpu(4), on.cpu(5)]);
    },
    { isSmt },
  ),
  mix(
    '08',
    'SMT int | chase',
    (on) => {
      on.solo('int', intHigh, [on.cpu(0), on.cpu(1)]);
      on.solo('chase', chase, [on.cpu(0, 1), on.cpu(1, 1)]);
    },
    { isSmt },
  ),
  mix(
    '09',
    'SMT PAUSE spin | compute',
    (on) => {
      on.solo('int', intMid, [on.cpu(0), on.cpu(1)]);
      on.solo('spin', pauseSpin, [on.cpu(0, 1), on.cpu(1, 1)]);
    },
    { isSmt },
  ),
  mix('10', 'PAUSE spin, compute', (on) => {
    on.solo('spin', pauseSpin, [on.cpu(0), on.cpu(1)]);
    on.solo('int', intMid, [on.cpu(2), on.cpu(3)]);
  }),
  mix('11', 'tight spin, compute', (on) => {
    on.solo('spin', tightSpin, [on.cpu(0), on.cpu(1)]);
    on.solo('int', intMid, [on.cpu(2), on.cpu(3)]);
  }),
  mix('12', '0.8 GHz, 3.5 GHz', (on) => {
    on.solo('slow', intMid, [on.cpu(0), on.cpu(1), on.cpu(2)], 0.8);
    on.solo('fast', intMid, [on.cpu(3), on.cpu(4)], 3.5);
  }),
  mix('13', '2.0 GHz, 3.5 GHz', (on) => {
    on.solo('slow', intMid, [on.cpu(0), on.cpu(1)], 2);
    on.solo('fast', intMid, [on.cpu(2), on.cpu(3)], 3.5);
  }),
  mix('14', 'phases of 150 ms', (on) => {
    const [a, b] = [on.job('a'), on.job('b')];
    for (const core of [0, 1])
      on.place(on.cpu(core), phases(on.thread(a, intHigh), [intHigh, stream], 150));
    for (const core of [2, 3])
      on.place(on.cpu(core), phases(on.thread(b, chase), [chase, avx2], 150));
  }),
  mix('15', 'fork storm, AVX2', (on) => {
    on.storm('storm', tiny, [on.cpu(0), on.cpu(1)], 1, 4);
    on.solo('avx2', avx2, [on.cpu(2), on.cpu(3)]);
  }),
  mix('16', '64 tiny tasks, heavy', (on) => {
    on.crowd('tiny', tiny, 64, [on.cpu(0), on.cpu(1), on.cpu(2), on.cpu(3)], 1, 0.3);
    on.solo('heavy', intHigh, [on.cpu(4), on.cpu(5)]);
  }),
  mix('17', 'moves over sockets', (on) => {
    const mover = on.job('mover', { homeNode: 0, rssBytes: 8 * GIBIBYTE });
    for (const core of [0, 1, 2]) {
      const thread = on.thread(mover, chase);
      on.place(on.cpu(core, 0, 0), hop(thread, 0, 2, 200));
      on.place(on.cpu(core, 0, 1), hop(thread, 1, 2, 200));
    }
    on.solo('local', branchy, [on.cpu(4, 0, 1), on.cpu(5, 0, 1)]);
    on.solo('int', intMid, [on.cpu(4, 0, 0), on.cpu(5, 0, 0)]);
  }),
  mix('18', 'sleeping 200 GB, chaser', (on) => {
    const sleeper = on.job('sleeper', { rssBytes: 200 * GIBIBYTE });
    on.place(on.cpu(0), duty(on.thread(sleeper, tiny), 1, 1000));
    const chaser = on.job('chaser', { rssBytes: 4 * GIBIBYTE });
    on.place(on.cpu(1), always(on.thread(chaser, chase)));
  }),
  mix('19', '5 % duty service, stream', (on) => {
    const service = on.job('service', { rssBytes: 2 * GIBIBYTE });
    for (const core of [0, 1, 2, 3])
      on.place(on.cpu(core), duty(on.thread(service, intMid), 2, 40, core * 9));
    on.solo('stream', stream, [on.cpu(4), on.cpu(5), on.cpu(6)]);
  }),
  mix(
    '20',
    'SMT zoo',
    (on) => {
      on.solo('poller', poller, [on.cpu(0)]);
      const jvm = on.job('jvm', { rssBytes: 16 * GIBIBYTE });
      on.place(on.cpu(0, 1), phases(on.thread(jvm, intMid), [intMid, branchy, intHigh], 130));
      on.place(on.cpu(1), phases(on.thread(jvm, intMid), [branchy, intMid, intHigh], 170));
      on.solo('avx512', avx512, [on.cpu(2), on.cpu(3)]);
      on.solo('stream', stream, [on.cpu(2, 1), on.cpu(3, 1), on.cpu(4)]);
    },
    { isSmt },
  ),
];

/** What the study left out. */
export const HARD_MIXES: readonly Mix[] = [
  mix('21', 'interrupt-heavy network', (on) => {
    on.solo('victim', intMid, [on.cpu(0), on.cpu(1)]);
    const server = on.job('server');
    for (const core of [2, 3]) on.place(on.cpu(core), duty(on.thread(server, tiny), 4, 8, core));
    on.solo('stream', stream, [on.cpu(4)]);
    for (const core of [0, 1]) on.interrupts(on.cpu(core), 0.35);
    on.interrupts(on.cpu(2), 0.15);
  }),
  mix(
    '22',
    'hybrid P and E cores',
    (on) => {
      on.solo('int-p', intMid, [on.cpu(0), on.cpu(1)]);
      on.solo('int-e', intMid, [on.efficient(0), on.efficient(1), on.efficient(2)]);
      on.solo('stream-e', stream, [on.efficient(4)]);
      on.solo('smt-p', intHigh, [on.cpu(2), on.cpu(2, 1)]);
    },
    { shape: HYBRID },
  ),
  mix(
    '23',
    'events multiplexed 4:1',
    (on) => {
      on.crowd('service', intMid, 12, [on.cpu(0), on.cpu(1), on.cpu(2)], 3, 0.9);
      on.solo('avx2', avx2, [on.cpu(3)]);
      on.solo('stream', stream, [on.cpu(4), on.cpu(5)]);
    },
    { multiplexing: 4 },
  ),
  mix(
    '24',
    'RAPL filter of 8 ms',
    (on) => {
      const burst = on.job('burst');
      for (const core of [0, 1])
        on.place(on.cpu(core), duty(on.thread(burst, avx2), 30, 70, core * 20));
      on.solo('chase', chase, [on.cpu(2), on.cpu(3)]);
    },
    { raplUpdateMillis: 8 },
  ),
  mix('25', '1,000 tasks, one cgroup', (on) => {
    on.crowd(
      'crowd',
      tiny,
      1000,
      [0, 1, 2, 3].map((core) => on.cpu(core)),
      1,
      0.9,
    );
    on.solo('heavy', intHigh, [on.cpu(4), on.cpu(5)]);
    on.solo('stream', stream, [on.cpu(6)]);
  }),
];

/** Four times the same program on the same data: each must be within 1.5 % of its truth, the seed's figure. */
export const EQUAL_MIX: Mix = mix('26', '4 copies, same data', (on) => {
  for (let core = 0; core < 4; core++) {
    const copy = on.job(`copy-${core.toString()}`, { dataFactor: 1 });
    on.place(on.cpu(core), always(on.thread(copy, intMid)));
  }
});

export const MIXES: readonly Mix[] = [...STUDY_MIXES, ...HARD_MIXES, EQUAL_MIX];

/** Those of the study that fit on one package of six big cores: what a hybrid machine learns from. */
export const HYBRID_LESSONS: readonly Mix[] = STUDY_MIXES.filter(
  ({ id }) => !['17', '19'].includes(id),
);

/** Nothing but the system's own noise: from this the idle floor is learnt. */
export const IDLE_MIX: Mix = mix('idle', 'idle', () => undefined);

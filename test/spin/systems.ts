// SPDX-License-Identifier: Apache-2.0
/** Whole systems under load, and the methods of stress-ng: what a server does all day. */
import { CORPUS, script, type Program } from './program.js';

const system = (
  name: string,
  file: string,
  only: string,
  needs: readonly string[],
  ...words: readonly string[]
): Program => ({
  ...script(name, '', 'bash', `${CORPUS}scripts/${file}`, ...words),
  only,
  needs,
});

/** Each is a loop of its own over something else. */
const CPU_METHODS = [
  'ackermann bitops callfunc cdouble collatz correlate crc16 decimal64 dither double explog fft',
  'fibonacci float fnv1a gamma gcd gray hamming hanoi hyperbolic idct int8 int64 int128 int64float',
  'jenkin jmp ln2 longdouble loop matrixprod murmur3a nhash nsqrt omega parity phi pi pjw prime psi',
  'queens rand rgb sdbm sieve sqrt stats trig union zeta',
];
const STRESSORS = [
  'matrix memcpy qsort heapsort mergesort bsearch hsearch lsearch tsearch str wcs zlib stream',
  'branch crypt vecmath funccall longjmp judy radixsort skiplist tree pipe fault mmap',
];

const split = (rows: readonly string[]): readonly string[] => rows.flatMap((row) => row.split(' '));

export const STRESS_NG: readonly Program[] = [
  ...split(CPU_METHODS).map((method) =>
    script(`stress-ng cpu ${method}`, '', 'stress-ng', '--cpu', '1', '--cpu-method', method),
  ),
  ...split(STRESSORS).map((stressor) =>
    script(`stress-ng ${stressor}`, '', 'stress-ng', `--${stressor}`, '1'),
  ),
];

export const SYSTEMS: readonly Program[] = [
  system('web server', 'web.sh', 'web-server', [], process.execPath),
  system('web client', 'web.sh', 'web-client', [], process.execPath),
  system('Redis', 'redis.sh', 'redis-server', ['redis-server', 'redis-benchmark']),
  system('Redis client', 'redis.sh', 'redis-benchmark', ['redis-server', 'redis-benchmark']),
  system('PostgreSQL', 'postgres.sh', 'postgres: ', ['pgbench', 'setpriv']),
  system('PostgreSQL client', 'postgres.sh', 'pgbench', ['pgbench', 'setpriv']),
];

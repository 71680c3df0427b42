// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { ownersOfZone, parseTruth, processNamed, zoneOf } from '../../vm/harness/truth.js';

const FILE = [
  '# simhw-truth 1: tab-separated; energies in nJ; one locked snapshot',
  'clock\tmonotonic\t2000\tboottime\t2100\tbegin\t1000',
  'zone\tpackage-0\t1111\t1',
  'zone\tdram-0\t55\t0',
  'bucket\tidle-floor\t0\t1000',
  'bucket\tidle-core\t0\t1',
  'bucket\tigpu\t0\t0',
  'bucket\tdram-background\t0\t5',
  'bucket\trest\t0\t7',
  'folded\t2\t0\tended\t-\t0\t1\t1\t0\t0\t0\t0\t10\t0\t0\t0\t20\t-',
  'lost\t0\t0\tlost\t-\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t-',
  'process\t7\t500\tended\tint_hi\t0\t300\t290\t10\t900\t2000\t3\t40\t30\t20\t10\t30\tint_hi',
  'thread\t7\t7\t500\tended\t300\t290\t10\tint_hi',
  'end\t0',
  '',
].join('\n');

describe('parseTruth', () => {
  it('reads zones, owners and threads', () => {
    const truth = parseTruth(FILE);
    expect(zoneOf(truth, 'package-0').totalNanojoules).toBe(1111n);
    expect(processNamed(truth, 'int_hi')).toMatchObject({ tgid: 7, isLive: false, cycles: 900n });
    expect(truth.threads).toHaveLength(1);
    expect(truth.owners.map((owner) => owner.kind)).toEqual(['process', 'folded', 'lost']);
  });

  it('refuses a file that was cut and one of another version', () => {
    expect(() => parseTruth(FILE.replace('end\t0\n', ''))).toThrow('cut');
    expect(() => parseTruth(FILE.replace('truth 1:', 'truth 2:'))).toThrow('not a simhw-truth 1');
  });
});

describe('ownersOfZone', () => {
  it('adds up every owner and bucket of a zone, the folded too', () => {
    const truth = parseTruth(FILE);
    expect(ownersOfZone(truth, 'package-0')).toBe(1111n);
    expect(ownersOfZone(truth, 'dram-0')).toBe(55n);
    expect(ownersOfZone(truth, 'psys')).toBe(1111n + 55n + 7n);
  });

  it('notices a nanojoule that is missing', () => {
    const truth = parseTruth(FILE.replace('\t40\t30', '\t39\t30'));
    expect(ownersOfZone(truth, 'package-0')).toBe(1110n);
  });
});

// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { RawReading } from '../../receiver/model/activity.js';
import { until } from '../support/until.js';
import { closeAll, port, startRig, valueOf, type Rig } from './support.js';

const PERF_TYPE_SOFTWARE = 1;
const CPU_CLOCK = { kind: 'perf', pmuType: PERF_TYPE_SOFTWARE, config: 0n, cpu: 0 } as const;
const ENOENT = 2;
const EISDIR = 21;

const directory = mkdtempSync(join(tmpdir(), 'wattfeed-sources-'));
afterEach(closeAll);
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const file = (name: string, content: string) => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return { kind: 'file', path } as const;
};

const nextReadings = async ({ session, windows }: Rig): Promise<readonly RawReading[]> => {
  valueOf(await session.closeWindow()());
  return windows().at(-1)?.readings ?? [];
};

describe('energy sources', () => {
  it('are read in the order given, each with its own outcome', async () => {
    const rig = await startRig({
      sources: [
        file('energy_uj', '262143328850\n'),
        { kind: 'file', path: join(directory, 'none') },
        { kind: 'file', path: directory },
        file('empty', ''),
        file('huge', '9'.repeat(100_000)),
        CPU_CLOCK,
      ],
    });
    const readings = await nextReadings(rig);
    expect(readings).toMatchObject([
      { _tag: 'FileReading', errno: 0, text: '262143328850\n', textLength: 13 },
      { _tag: 'FileReading', errno: ENOENT, textLength: 0 },
      { _tag: 'FileReading', errno: EISDIR, textLength: 0 },
      { _tag: 'FileReading', errno: 0, text: '', textLength: 0 },
      { _tag: 'FileReading', errno: 0, text: '9'.repeat(40), textLength: 100_000 },
      { _tag: 'PerfReading', errno: 0 },
    ]);
  });

  it('are read within their window, between the flush and the scan', async () => {
    const rig = await startRig({ sources: [file('energy_uj', '1'), CPU_CLOCK] });
    const readings = await nextReadings(rig);
    const window = rig.windows().at(-1);
    for (const reading of readings) {
      expect(reading.beforeNanos).toBeGreaterThanOrEqual(window?.endNanos ?? 2n ** 63n);
      expect(reading.afterNanos).toBeGreaterThanOrEqual(reading.beforeNanos);
    }
  });

  it('follow a file that grows, goes and comes again', async () => {
    const source = file('energy_uj', '100');
    const rig = await startRig({ windowMillis: 3_600_000, sources: [source] });
    expect(await nextReadings(rig)).toMatchObject([{ text: '100' }]);
    file('energy_uj', '20000');
    expect(await nextReadings(rig)).toMatchObject([{ text: '20000', textLength: 5 }]);
    rmSync(source.path);
    expect(await nextReadings(rig)).toMatchObject([{ errno: ENOENT, textLength: 0 }]);
    file('energy_uj', '3');
    expect(await nextReadings(rig)).toMatchObject([{ errno: 0, text: '3' }]);
  });

  it('appear in the window in which their file does', async () => {
    const path = join(directory, 'late');
    const rig = await startRig({ windowMillis: 3_600_000, sources: [{ kind: 'file', path }] });
    expect(await nextReadings(rig)).toMatchObject([{ errno: ENOENT }]);
    file('late', '7');
    expect(await nextReadings(rig)).toMatchObject([{ errno: 0, text: '7' }]);
  });

  it('count time on a software clock, which never falls', async () => {
    const { windows } = await startRig({ sources: [CPU_CLOCK] });
    await until('five windows', () => windows().length >= 5);
    const values = windows().map(({ readings: [reading] }) =>
      reading?._tag === 'PerfReading' ? reading.value : -1n,
    );
    expect(values).toEqual([...values].sort((a, b) => (a < b ? -1 : 1)));
    expect((values.at(-1) ?? 0n) - (values[0] ?? 0n)).toBeGreaterThan(0n);
  });
});

describe('probePerf', () => {
  it('sees a clock count', () => {
    const { first, last } = valueOf(port().probePerf(CPU_CLOCK, 5));
    expect(last - first).toBeGreaterThanOrEqual(5_000_000n);
  });

  it('names the error of a PMU that is not there', () => {
    const missing = port().probePerf({ ...CPU_CLOCK, pmuType: 0x7fff_ffff }, 0);
    expect(missing).toMatchObject({ left: { operation: 'perf_event_open', code: 'ENOENT' } });
  });
});

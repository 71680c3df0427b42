// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CsvFile, type CsvOptions } from '../../../receiver/export/csv-file.js';
import { CSV_HEADER, CsvRows } from '../../../receiver/export/csv-rows.js';
import { newLedger, play } from '../../support/ledger.js';
import { MovingLedger } from '../../support/moving-ledger.js';
import { history } from '../../support/random-window.js';

const TIME = '2026-11-30T00:00:00.000Z';
const fieldsOf = (row: string): readonly string[] => row.trimEnd().split(',');

describe('CsvRows', () => {
  it('says once per interval what each entity burned in it', () => {
    const ledger = new MovingLedger();
    const rows = new CsvRows();
    const process = ledger.begin(7, 3n, 'work');
    ledger.burn(process, 2_500_000n, 500_000n, 1_000_000_000n);
    expect(rows.next(ledger, TIME, 60)).toContain(
      `${TIME},60.000,process,7,work,3,2.500000,0.500000,1.000000\n`,
    );
    expect(rows.next(ledger, TIME, 60)).toEqual([]);
    ledger.burn(process, 1_000_000n, 0n, 0n);
    expect(rows.next(ledger, TIME, 60)).toEqual([
      `${TIME},60.000,process,7,work,3,1.000000,0.000000,0.000000\n`,
      `${TIME},60.000,cgroup,3,/slice-3,3,1.000000,0.000000,0.000000\n`,
    ]);
  });

  it('quotes names and disarms formulas', () => {
    const ledger = new MovingLedger();
    ledger.burn(ledger.begin(7, 3n, 'a,"b"'), 1_000_000n);
    ledger.burn(ledger.begin(8, 3n, '=cmd()'), 1_000_000n);
    const text = new CsvRows().next(ledger, TIME, 60).join('');
    expect(text).toContain(',7,"a,""b""",3,');
    expect(text).toContain(",8,'=cmd(),3,");
  });

  it('adds up on each level to what the ledger gave, whatever ends or is forgotten', () => {
    fc.assert(
      fc.property(history(), fc.array(fc.boolean()), ({ topology, idleFloors, steps }, exports) => {
        const ledger = newLedger({ maxProcesses: 3, maxExited: 2, maxCgroups: 3 });
        const rows = new CsvRows();
        const written: string[] = [];
        steps.forEach(({ window, readings }, at) => {
          play(ledger, window, readings, { topology, idleFloors });
          if (exports[at] === true) written.push(...rows.next(ledger, TIME, 1));
          if (at % 3 === 1)
            ledger.retireExported([...ledger.processes()].map(({ identity }) => identity));
        });
        written.push(...rows.next(ledger, TIME, 1));
        for (const level of ['process', 'cgroup', 'user', 'name']) {
          const sum = written
            .map(fieldsOf)
            .filter(([, , of]) => of === level)
            .reduce((total, fields) => total + Math.round(Number(fields.at(-3)) * 1e6), 0);
          const given = ledger
            .domains()
            .filter(({ domain }) => domain.isAttributed && domain.kind === 'package')
            .reduce((total, { entitiesMicrojoules }) => total + Number(entitiesMicrojoules), 0);
          expect(sum, level).toBe(given);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('CsvFile', () => {
  let base = '';
  let path = '';
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'wattfeed-csv-'));
    path = join(base, 'energy.csv');
  });
  afterEach(() => {
    rmSync(base, { recursive: true });
  });

  const fileOf = (options: Partial<CsvOptions> = {}) => {
    const ledger = new MovingLedger();
    const process = ledger.begin(7, 3n, 'work');
    const said: string[] = [];
    let forgotten = 0;
    const file = new CsvFile(
      { path, intervalMillis: 1_000_000, maxBytes: 1_000_000, keptFiles: 2, ...options },
      {
        ledger,
        nowMillis: () => 0,
        unixMillis: () => Date.parse(TIME),
        say: (text) => said.push(text),
        takeEnded: () => () => {
          forgotten += 1;
        },
      },
    );
    const burn = (): void => {
      ledger.burn(process, 1_000_000n, 0n, 0n);
    };
    return { file, burn, said, forgotten: () => forgotten };
  };

  it('begins with a header and appends', async () => {
    const { file, burn } = fileOf();
    burn();
    await file.write();
    burn();
    await file.stop();
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(`${lines[0] ?? ''}\n`).toBe(CSV_HEADER);
    expect(lines.filter((line) => line.includes(',process,'))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('time'))).toHaveLength(1);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it('rotates by size and keeps so many, each with a header', async () => {
    const { file, burn } = fileOf({ maxBytes: 100 });
    for (let round = 0; round < 6; round += 1) {
      burn();
      await file.write();
    }
    expect(existsSync(`${path}.1`) && existsSync(`${path}.2`)).toBe(true);
    expect(existsSync(`${path}.3`)).toBe(false);
    for (const name of [path, `${path}.1`, `${path}.2`])
      expect(readFileSync(name, 'utf8').startsWith(CSV_HEADER)).toBe(true);
  });

  it('loses nothing where it cannot write for a while, and says it once', async () => {
    const { file, burn, said, forgotten } = fileOf({ path: join(base, 'missing', 'x.csv') });
    burn();
    await file.write();
    burn();
    await file.write();
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('ENOENT');
    expect(forgotten()).toBe(0);
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(base, 'missing'));
    await file.write();
    const text = readFileSync(join(base, 'missing', 'x.csv'), 'utf8');
    expect(text.split('\n').filter((line) => line.includes(',process,'))).toHaveLength(2);
    expect(forgotten()).toBe(1);
  });
});

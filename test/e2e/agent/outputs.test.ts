// SPDX-License-Identifier: Apache-2.0
/**
 * The ways out that need no Collector, as a user takes them: `--prometheus`, `--csv`, and `top --by` of the
 * same agent. The energy is that of a moving powercap tree; the load and its container are real.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EnergyRow } from '../../../receiver/model/agent-report.js';
import { CGROUP_LEVELS } from '../../../receiver/model/ledger-view.js';
import {
  agentPlace,
  startAgent,
  stopAgent,
  topOnce,
  wattfeed,
  type AgentProcess,
} from '../../support/agent-process.js';
import { freePort } from '../../support/collector-process.js';
import { parseExposition, sumOf, type ExposedSample } from '../../support/exposition.js';
import { CgroupTree, hierarchiesHere } from '../../support/kernel/cgroup-tree.js';
import { buildLoads, startLoad, type Load } from '../../support/kernel/load.js';
import { startPowercapFixture, type PowercapFixture } from '../../support/powercap-fixture.js';
import { until } from '../../support/until.js';

const PACKAGE = 'intel-rapl:0';
const CONTAINER = 'c0ffee'.repeat(11).slice(0, 64);
const UID = '5f32d849-6210-4886-a48d-e0d90e1d0206';
/** More than the test writes, however long it takes. */
const CSV_MEBIBYTES = 16;
const MEBIBYTE = 1_048_576;
/** Longer than the test. */
const BURN_MILLIS = 600_000;
const WAIT_MILLIS = 40_000;
const OLD_ROWS = 'what an agent of long ago has written\n';

describe('an agent with --prometheus and --csv', { timeout: 80_000 }, () => {
  const [here] = hierarchiesHere();
  const tree = new CgroupTree(here?.directory ?? '');
  const base = `/wattfeed-test-${String(process.pid)}`;
  const pod = `${base}/kubepods/burstable/pod${UID}`;
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-outputs-'));
  const csv = join(directory, 'energy.csv');
  const place = agentPlace();
  let port = 0;
  let fixture: PowercapFixture;
  let agent: AgentProcess | undefined;
  let load: Load | undefined;

  beforeAll(async () => {
    buildLoads();
    port = await freePort();
    // One that is full, and one that was rotated before: the latter has had its time.
    writeFileSync(csv, OLD_ROWS.padStart(CSV_MEBIBYTES * MEBIBYTE, '#'));
    writeFileSync(`${csv}.1`, 'older still\n');
    fixture = await startPowercapFixture(directory, [
      { id: PACKAGE, name: 'package-0', watts: 40 },
      { id: `${PACKAGE}:1`, name: 'dram', watts: 5 },
    ]);
    tree.make(`${pod}/${CONTAINER}`);
    load = await startLoad('burn', [BURN_MILLIS], {
      cgroupProcs: [tree.procsOf(`${pod}/${CONTAINER}`)],
    });
    load.act().catch(() => undefined);
    agent = await startAgent(place, {
      flags: [
        `--sysfs-root=${fixture.sysfs}`,
        `--accounting-cgroup-hierarchy=${here?.hierarchy ?? 'auto'}`,
        `--prometheus=${String(port)}`,
        `--csv=${csv}`,
        '--export-csv-interval-seconds=1',
        `--export-csv-max-mib=${String(CSV_MEBIBYTES)}`,
        '--export-csv-kept-files=1',
      ],
    });
  }, 80_000);

  afterAll(async () => {
    // First what burns, whatever else went wrong.
    await load?.stop();
    if (agent?.child.exitCode === null) await stopAgent(agent);
    await fixture.stop();
    tree.removeAll();
    place.remove();
    rmSync(directory, { recursive: true, force: true });
  }, 30_000);

  const scrape = async (): Promise<readonly ExposedSample[]> => {
    const response = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/plain');
    return parseExposition(await response.text());
  };
  const ofLoad = (samples: readonly ExposedSample[]): number =>
    sumOf(samples, 'wattfeed_process_energy_joules_total', {
      process_pid: String(load?.pid),
      wattfeed_domain: 'package',
    });

  describe('the endpoint', () => {
    it('listens on loopback alone where only a port was given', () => {
      const wanted = port.toString(16).toUpperCase().padStart(4, '0');
      const LISTEN = '0A';
      const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) =>
        readFileSync(path, 'utf8')
          .split('\n')
          .map((line) => line.trim().split(/\s+/))
          .filter(([, local, , state]) => local?.endsWith(`:${wanted}`) && state === LISTEN)
          .map(([, local]) => local),
      );
      expect(listening).toEqual([`0100007F:${wanted}`]);
    });

    it('gives the load more at each scrape, between what top shows before and after', async () => {
      await until('joules', async () => ofLoad(await scrape()) > 1, WAIT_MILLIS);
      const shown = (): number =>
        topOnce(place).processes.find(({ pid }) => pid === load?.pid)?.packageJoules ?? Number.NaN;
      const before = shown();
      const scraped = ofLoad(await scrape());
      expect(scraped).toBeGreaterThanOrEqual(before);
      expect(shown()).toBeGreaterThanOrEqual(scraped);
    });

    it('is whole: each level sums up to the same joules', async () => {
      const samples = await scrape();
      const level = (name: string): number =>
        sumOf(samples, `wattfeed_${name}_energy_joules_total`) +
        sumOf(samples, `wattfeed_${name}_exited_energy_joules_total`) +
        sumOf(samples, `wattfeed_${name}_removed_energy_joules_total`);
      expect(level('process')).toBeGreaterThan(1);
      for (const name of ['cgroup', 'user'])
        expect({ name, joules: level(name) }).toEqual({
          name,
          joules: expect.closeTo(level('process'), 6),
        });
    });

    it('knows the container and the pod by the path of the cgroup', async () => {
      const samples = await scrape();
      const labels = { container_id: CONTAINER, k8s_pod_uid: UID };
      expect(sumOf(samples, 'wattfeed_container_energy_joules_total', labels)).toBeGreaterThan(0);
      expect(
        sumOf(samples, 'wattfeed_pod_energy_joules_total', { k8s_pod_uid: UID }),
      ).toBeGreaterThan(0);
    });

    it('has nothing but metrics', async () => {
      const response = await fetch(`http://127.0.0.1:${String(port)}/config`);
      expect(response.status).toBe(404);
    });
  });

  describe('top --by', () => {
    const grouped = z.looseObject({
      by: z.string(),
      groups: z.array(
        z.looseObject({
          name: z.string(),
          id: z.string().optional(),
          processes: z.number(),
          packageJoules: z.number().nullable(),
        }),
      ),
    });
    const by = (what: string) => {
      const { stdout, stderr } = wattfeed([
        'top',
        '--once',
        '--json',
        '--by',
        what,
        ...place.flags,
      ]);
      expect(stderr).toBe('');
      return grouped.parse(JSON.parse(stdout)).groups;
    };
    it('shows the container and the pod of the load', () => {
      expect(by('container')).toContainEqual(
        expect.objectContaining({ id: CONTAINER, name: CONTAINER.slice(0, 12), processes: 1 }),
      );
      expect(by('pod')).toContainEqual(expect.objectContaining({ id: UID, processes: 1 }));
    });

    it('has in each level of one window the same joules', () => {
      const report = topOnce(place);
      const { workloads, names = [], users = [], domains } = report;
      const sum = (rows: readonly EnergyRow[]): number =>
        rows.reduce((total, { packageJoules }) => total + (packageJoules ?? 0), 0);
      const rest = (...rows: readonly (EnergyRow | undefined)[]): readonly EnergyRow[] =>
        rows.filter((row) => row !== undefined);
      const given = domains.find(({ id }) => id === PACKAGE)?.entitiesMicrojoules;
      const all = Number(given) / 1e6;
      expect(all).toBeGreaterThan(1);
      for (const level of CGROUP_LEVELS) {
        const part = workloads?.[level];
        if (part === undefined) throw new Error(`no ${level}s`);
        const { rows, exited, overflow, none } = part;
        expect(sum([...rows, exited, overflow, none])).toBeCloseTo(all, 6);
      }
      const { cgroups, exitedCgroups, overflowCgroups, overflowNames, overflowUsers } = report;
      expect(sum([...cgroups, ...rest(exitedCgroups, overflowCgroups)])).toBeCloseTo(all, 6);
      expect(sum([...names, ...rest(overflowNames)])).toBeCloseTo(all, 6);
      expect(sum([...users, ...rest(overflowUsers)])).toBeCloseTo(all, 6);
    });

    it('prints them as a table, too', () => {
      const { stdout, code } = wattfeed(['top', '--once', '--by', 'container', ...place.flags]);
      expect(code).toBe(0);
      expect(stdout).toContain(CONTAINER.slice(0, 12));
      expect(stdout).toContain('(in no container)');
    });
  });

  describe('the file', () => {
    interface Row {
      readonly time: string;
      readonly level: string;
      readonly id: string;
      readonly packageJoules: number;
      readonly dramJoules: number;
    }
    const rowsIn = (text: string): readonly Row[] =>
      text
        .split('\n')
        .slice(1)
        .filter((line) => line !== '')
        .map((line) => {
          // From the end: a name may hold commas.
          const cells = line.split(',');
          const [time = '', , level = '', id = ''] = cells;
          const [pkg, dram] = cells.slice(-3);
          return { time, level, id, packageJoules: Number(pkg), dramJoules: Number(dram) };
        });
    const joules = (rows: readonly Row[], level: string): number =>
      rows.filter((row) => row.level === level).reduce((sum, row) => sum + row.packageJoules, 0);

    it('begins anew where the old one is full, and keeps as many as it was told', async () => {
      await until('a new file', () => existsSync(csv) && readFileSync(csv, 'utf8') !== '');
      expect(readFileSync(`${csv}.1`, 'utf8').endsWith(OLD_ROWS)).toBe(true);
      expect(existsSync(`${csv}.2`)).toBe(false);
      const [header] = readFileSync(csv, 'utf8').split('\n');
      expect(header).toBe(
        'time,seconds,level,id,name,cgroup_id,package_joules,dram_joules,cpu_seconds',
      );
    });

    it('has, when the agent has ended, all joules that the counter gave, on each level', async () => {
      const accepted = (): number =>
        Number(
          topOnce(place).domains.find(({ id }) => id === PACKAGE)?.acceptedMicrojoules ??
            Number.NaN,
        ) / 1e6;
      await until(
        'four intervals',
        () => {
          const times = rowsIn(readFileSync(csv, 'utf8')).map(({ time }) => time);
          return new Set(times).size >= 4;
        },
        WAIT_MILLIS,
      );
      const before = accepted();
      expect(agent && (await stopAgent(agent)).code).toBe(0);
      const { emittedMicrojoules } = await fixture.snapshot();
      const emitted = Number(emittedMicrojoules.get(PACKAGE) ?? 0n) / 1e6;
      const rows = rowsIn(readFileSync(csv, 'utf8'));
      const whole = joules(rows, 'process') + joules(rows, 'domain');
      expect(whole).toBeGreaterThanOrEqual(before - 0.001);
      expect(whole).toBeLessThanOrEqual(emitted);
      // Each row is cut to a microjoule.
      for (const level of ['cgroup', 'user', 'name'])
        expect(joules(rows, level)).toBeCloseTo(joules(rows, 'process'), 4);
      expect(rows.some(({ level, id }) => level === 'container' && id === CONTAINER)).toBe(true);
      expect(rows.some(({ level, id }) => level === 'pod' && id === UID)).toBe(true);
      expect(rows.reduce((sum, row) => sum + row.dramJoules, 0)).toBeGreaterThan(0);
    });
  });
});

// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameOf, waitingLines } from '../../../../receiver/commands/top/frame.js';
import { firstViewState, topOptionsOf } from '../../../../receiver/commands/top/options.js';
import { rowsOf } from '../../../../receiver/commands/top/rows.js';
import type { ViewState } from '../../../../receiver/commands/top/view-state.js';
import type { SourceOrigin } from '../../../../receiver/model/report-source.js';
import type { AgentReport, ProcessRow } from '../../../../receiver/model/agent-report.js';
import { textOf } from '../../../../receiver/terminal/line.js';
import { displayWidth } from '../../../../receiver/terminal/width.js';
import {
  NO_DRAM,
  WINDOW_END_UNIX_MILLIS,
  agentReport,
  domainRow,
  energyRow,
  processRow,
} from '../../../support/agent-report.js';

const JOINED: SourceOrigin = {
  _tag: 'Joined',
  agentPid: 4242,
  agentVersion: '0.1.0',
  socketPath: '/run/wattfeed/agent.sock',
};

interface View {
  readonly report?: AgentReport;
  readonly state?: Partial<ViewState>;
  readonly columns?: number;
  readonly rows?: number;
  readonly origin?: SourceOrigin;
  readonly skippedWindows?: number;
  readonly ageMillis?: number;
}

const linesOf = (view: View = {}): readonly string[] => {
  const report = view.report ?? agentReport();
  const state: ViewState = { ...firstViewState(topOptionsOf({})), ...view.state };
  const rows = rowsOf(report, { ...state, threadsOf: state.threads?.pid });
  const viewport = { columns: view.columns ?? 80, rows: view.rows ?? 24 };
  const frame = frameOf(report, rows, state, viewport, {
    origin: view.origin ?? JOINED,
    nowUnixMillis: WINDOW_END_UNIX_MILLIS + (view.ageMillis ?? 300),
    skippedWindows: view.skippedWindows ?? 0,
  });
  return frame.lines.map(textOf);
};

const golden = (lines: readonly string[]): string =>
  `\n${lines.map((line) => line.trimEnd()).join('\n')}\n`;

describe('frameOf', () => {
  it.each([
    [812, 'no thread of process 812 has run since this viewer asked for them'],
    [813, 'there is no process 813: it has ended, or never was'],
  ])('says why there are no threads of process %i', (pid, text) => {
    const threads = { pid, name: '', outerFilter: '' };
    expect(linesOf({ state: { threads } })).toContain(text);
  });

  it('says that the filter hides all', () => {
    expect(linesOf({ state: { filter: 'nginx' } })).toContain(
      'no row matches /nginx/ in this window',
    );
  });

  it('fits 80x24', () => {
    expect(golden(linesOf())).toMatchInlineSnapshot(`
      "
      wattfeed on node-7, joined agent 4242, window 1.0 s, 0.3 s old
      measured (powercap), split by CPU time
      package    41.50 W  idle 10.38, irq 0.500, unattributed 0.250, processes 30.38
      dram        4.00 W  idle 1.00, irq 0.500, unattributed 0.250, processes 2.25
      cpu 77.0 % of 4, steal 1.2 %, 5210 switches/s, slots 312 of 65536
      7 processes, by watts
          PID USER       WATTS   DRAM    ENERGY   CPU% NAME            CGROUP
          901 alice      12.25   1.23    1348 J  122.5 stress-ng-cpu   …ser-1000.slice
          902 alice      11.75   1.18    1293 J  117.5 stress-ng-cpu   …ser-1000.slice
          812 postgres    6.50  0.650   715.0 J   65.0 postgres        …gresql.service
            -            0.500  0.050   55.00 J    5.0 (exited)
          900 alice      0.200  0.020   22.00 J    2.0 stress-ng       …ser-1000.slice
           17 root       0.040  0.004   4.400 J    0.4 kworker/0:1     /
            1 root       0.010  0.001   1.100 J    0.1 systemd         /init.scope









      wjC sort  pcnug rows  t tree  H threads  / filter  +- interval  ? help  q quit
      "
    `);
  });

  it('uses the width of 120x40 for names and cgroups, and shows meters', () => {
    const meters = [
      { id: 'psys', name: 'psys', watts: 61, restWatts: 15.5, joules: 6100 },
      { id: 'BAT0', name: 'BAT0', watts: 40, restWatts: -5.5, joules: 4000 },
      { id: 'acpi', name: 'acpi', watts: null, restWatts: null, joules: 0 },
    ];
    const report = agentReport({
      meters,
      accounting: {
        ...agentReport().accounting,
        losses: { storageMisses: 12, slotsExhausted: 0, lateTasks: 3 },
      },
    });
    expect(golden(linesOf({ report, columns: 120, rows: 40, skippedWindows: 3 })))
      .toMatchInlineSnapshot(`
        "
        wattfeed on node-7, joined agent 4242, window 1.0 s, 0.3 s old
        measured (powercap), split by CPU time
        package    41.50 W  idle 10.38, irq 0.500, unattributed 0.250, processes 30.38
        dram        4.00 W  idle 1.00, irq 0.500, unattributed 0.250, processes 2.25
        psys       61.00 W  rest of machine 15.50 (nobody's)
        BAT0       40.00 W  rest of machine -5.50: contradiction, it reads less than its parts
        acpi     no reading in this window
        cpu 77.0 % of 4, steal 1.2 %, 5210 switches/s, slots 312 of 65536
        no owner since start: switches to unknown tasks 12, late tasks 3
        3 windows skipped: this viewer is too slow
        7 processes, by watts
            PID USER       WATTS   DRAM    ENERGY   CPU% NAME                      CGROUP
            901 alice      12.25   1.23    1348 J  122.5 stress-ng-cpu             /user.slice/user-1000.slice
            902 alice      11.75   1.18    1293 J  117.5 stress-ng-cpu             /user.slice/user-1000.slice
            812 postgres    6.50  0.650   715.0 J   65.0 postgres                  /system.slice/postgresql.service
              -            0.500  0.050   55.00 J    5.0 (exited)
            900 alice      0.200  0.020   22.00 J    2.0 stress-ng                 /user.slice/user-1000.slice
             17 root       0.040  0.004   4.400 J    0.4 kworker/0:1               /
              1 root       0.010  0.001   1.100 J    0.1 systemd                   /init.scope




















        wjC sort  pcnug rows  t tree  H threads  / filter  +- interval  ? help  q quit
        "
      `);
  });

  it('shows a tree with sums, the filter and the selection', () => {
    const state = { isTree: true, filter: 'stress', selectedKey: 'process 901 1700000000901' };
    expect(golden(linesOf({ state, rows: 14 }))).toMatchInlineSnapshot(`
      "
      wattfeed on node-7, joined agent 4242, window 1.0 s, 0.3 s old
      measured (powercap), split by CPU time
      package    41.50 W  idle 10.38, irq 0.500, unattributed 0.250, processes 30.38
      dram        4.00 W  idle 1.00, irq 0.500, unattributed 0.250, processes 2.25
      cpu 77.0 % of 4, steal 1.2 %, 5210 switches/s, slots 312 of 65536
      4 processes as a tree, by watts, filter /stress/
          PID USER       WATTS   DRAM    ENERGY   CPU% NAME            CGROUP
            1 root       30.71   3.07    3378 J  307.1 systemd         /init.scope
          900 alice      24.20   2.42    2662 J  242.0   stress-ng     …ser-1000.slice
          901 alice      12.25   1.23    1348 J  122.5     stress-ng-… …ser-1000.slice
          902 alice      11.75   1.18    1293 J  117.5     stress-ng-… …ser-1000.slice


      wjC sort  pcnug rows  t tree  H threads  / filter  +- interval  ? help  q quit
      "
    `);
  });

  it('shows cgroups', () => {
    expect(golden(linesOf({ state: { grouping: 'cgroup' }, rows: 16 }))).toMatchInlineSnapshot(`
      "
      wattfeed on node-7, joined agent 4242, window 1.0 s, 0.3 s old
      measured (powercap), split by CPU time
      package    41.50 W  idle 10.38, irq 0.500, unattributed 0.250, processes 30.38
      dram        4.00 W  idle 1.00, irq 0.500, unattributed 0.250, processes 2.25
      cpu 77.0 % of 4, steal 1.2 %, 5210 switches/s, slots 312 of 65536
      4 cgroups (own tasks only), by watts
      PROCS   WATTS   DRAM    ENERGY   CPU% CGROUP
          3   24.20   2.42    2662 J  242.0 /user.slice/user-1000.slice
          1    6.50  0.650   715.0 J   65.0 /system.slice/postgresql.service
          1   0.040  0.004   4.400 J    0.4 /
          1   0.010  0.001   1.100 J    0.1 /init.scope




      wjC sort  pcnug rows  t tree  H threads  / filter  +- interval  ? help  q quit
      "
    `);
  });

  it('shows keys and meanings on the help page', () => {
    expect(golden(linesOf({ state: { mode: 'help' } }))).toMatchInlineSnapshot(`
      "
      Keys
        w d j C P N     sort by watts, DRAM, joules, CPU, pid, name; again: reversed
        < > r           sort by the column left or right; reverse
        p c n u g       rows: processes, cgroups, names, users; g: pods and the others
        t               tree of processes or cgroups; each row sums up all below it
        up down H       select a process, show its threads; H again or Esc: back
        / f             filter: a regular expression over name, cgroup, user; or a pid
        + -             longer or shorter interval, 0.2 to 60 s
        Esc             leave threads, selection, filter
        q Ctrl-C        quit

      Numbers
        WATTS           package power given to this row, mean over the interval
        DRAM            the same for memory, in watts; not contained in WATTS
        ENERGY          package and DRAM since the agent started
        CPU%            CPU time over the interval; 100 is one CPU
        - and ?         not measured on this machine; not known of this window
        idle            what the package draws when nothing runs: given to nobody
        unattributed    measured, but no process explains it
        (exited)        ended processes; (over the cap): more than the ledger keeps
        rest of machine a whole-machine meter less packages and DRAM

      Any key leads back.
      wjC sort  pcnug rows  t tree  H threads  / filter  +- interval  ? help  q quit
      "
    `);
  });

  it('tells absent, failed, first and zero apart', () => {
    const text = (domains: AgentReport['domains']) =>
      linesOf({ report: agentReport({ domains }) })
        .slice(2, 4)
        .join('\n');
    expect(text([domainRow('package', 0, { idleWatts: 0, irqWatts: 0, unattributedWatts: 0 })]))
      .toMatchInlineSnapshot(`
      "package        0 W  idle 0, irq 0, unattributed 0, processes 0
      dram     not measured on this machine"
    `);
    const failed = domainRow('package', null, {
      name: 'package-1',
      state: 'failed: permission (EACCES)',
    });
    expect(text([failed])).toMatchInlineSnapshot(`
      "package  package-1 failed: permission (EACCES)
      dram     not measured on this machine"
    `);
    expect(text([domainRow('package', 20), failed])).toMatchInlineSnapshot(`
      "package    20.00 W (1 of 2)  idle 5.00, irq 0.500, unattributed 0.250, processe…
      dram     not measured on this machine"
    `);
    expect(text([domainRow('package', null, { state: 'first' })])).toMatchInlineSnapshot(`
      "package  package-0 first reading, no power yet
      dram     not measured on this machine"
    `);
  });

  it('tells absent, unknown and zero apart in the rows', () => {
    const none = { ...NO_DRAM, packageWatts: null, packageJoules: null };
    const table = (domains: AgentReport['domains'], over: Partial<ProcessRow>) => {
      const report = agentReport({
        domains,
        processes: [processRow(901, 'load', 12.25, over)],
        exitedProcesses: energyRow(0, over.packageJoules === null ? none : NO_DRAM),
      });
      return golden(linesOf({ report, rows: 10 }).slice(2, 8));
    };
    const failed = domainRow('dram', null, { state: 'failed: permission (EACCES)' });
    expect(table([domainRow('package', 41.5)], NO_DRAM)).toMatchInlineSnapshot(`
      "
      1 processes, by watts
          PID USER       WATTS   DRAM    ENERGY   CPU% NAME            CGROUP
          901 root       12.25      -    1225 J  122.5 load            …e/some.service



      "
    `);
    expect(table([domainRow('package', 41.5), failed], { dramWatts: null })).toMatchInlineSnapshot(`
      "
      1 processes, by watts
          PID USER       WATTS   DRAM    ENERGY   CPU% NAME            CGROUP
          901 root       12.25      ?    1348 J  122.5 load            …e/some.service



      "
    `);
    expect(table([domainRow('package', 41.5), domainRow('dram', 4)], { dramWatts: 0 }))
      .toMatchInlineSnapshot(`
      "
      1 processes, by watts
          PID USER       WATTS   DRAM    ENERGY   CPU% NAME            CGROUP
          901 root       12.25      0    1348 J  122.5 load            …e/some.service



      "
    `);
    expect(table([], none)).toMatchInlineSnapshot(`
      "
      1 processes, by watts
          PID USER       WATTS   DRAM    ENERGY   CPU% NAME            CGROUP
          901 root           -      -         -  122.5 load            …e/some.service



      "
    `);
  });

  it('does not add a domain to the one that contains it', () => {
    const core = domainRow('core', 30, { split: null, parentId: 'intel-rapl:0' });
    const report = agentReport({ domains: [domainRow('package', 41.5), core] });
    expect(linesOf({ report })[2]).toContain('41.50 W');
  });

  it('says whose windows they are and when they stop coming', () => {
    expect(linesOf()[0]).toContain('joined agent 4242');
    expect(linesOf({ origin: { _tag: 'Own' } })[0]).toContain('measuring itself');
    expect(linesOf({ ageMillis: 65_000 })[0]).toContain('65 s old');
  });

  it('keeps the selected row in sight', () => {
    const processes = Array.from({ length: 300 }, (_, at) =>
      processRow(at + 1, `process-${at + 1}`, 300 - at),
    );
    const report = agentReport({ processes, exitedProcesses: energyRow(0) });
    const selected = processes[250];
    const state = { selectedKey: `process ${selected?.pid} ${selected?.startUnixMillis}` };
    expect(linesOf({ report, state }).join('\n')).toContain('process-251 ');
    expect(linesOf({ report }).join('\n')).toContain('process-1 ');
  });

  it('is never wider or higher than the terminal, whatever the names are', () => {
    const names = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    const states = fc.record({
      grouping: fc.constantFrom('process' as const, 'name' as const, 'cgroup' as const),
      mode: fc.constantFrom('table' as const, 'filter' as const, 'help' as const),
      draft: names,
      isTree: fc.boolean(),
    });
    fc.assert(
      fc.property(
        names,
        states,
        fc.integer({ min: 1, max: 130 }),
        fc.integer({ min: 2, max: 50 }),
        (name, state, columns, rows) => {
          const processes = [processRow(5, name, 3, { user: name, cgroup: `/${name}` })];
          const report = agentReport({
            processes,
            agent: { ...agentReport().agent, hostName: name },
          });
          const lines = linesOf({ report, state, columns, rows });
          expect(lines).toHaveLength(rows);
          for (const line of lines) {
            expect(displayWidth(line)).toBeLessThanOrEqual(columns);
            expect(line).not.toMatch(/\p{Cc}/u);
          }
        },
      ),
    );
  });
});

describe('waitingLines', () => {
  it('says what it waits for', () => {
    const viewport = { columns: 80, rows: 24 };
    expect(waitingLines({ _tag: 'Own' }, viewport).map(textOf)).toEqual([
      'wattfeed: measuring itself, waiting for the first window; q quits',
    ]);
  });
});

// SPDX-License-Identifier: Apache-2.0
/** The product against the simulated hardware: what it finds, overlaps, measures, and does about faults. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { bootAndRun, hookMillis, patientMillis, type Run } from './harness/files.js';
import {
  isAttributedKind,
  phaseAt,
  readingOfWindow,
  readPhases,
  readReadings,
  readReports,
  zoneNameOf,
  type Report,
} from './harness/reports.js';

/** About 90 s on an idle host: the agent's start alone takes 10 s of CPU time under TCG. */
const LIMIT_MILLIS = patientMillis(240);
/** A counter's reading is cut to whole microjoules at both ends. */
const ROUNDING_MICROJOULES = 2n;

let run: Run;

beforeAll(async () => {
  run = await bootAndRun('smt', '7.3', 'bash /vm/guest/agent.sh', LIMIT_MILLIS);
}, hookMillis(LIMIT_MILLIS));

describe('wattfeed check', () => {
  const domains = z.array(z.object({ kind: z.string(), source: z.string() }));
  const checked = z.object({
    exitCode: z.number(),
    host: z.object({ packages: z.number(), hasSmt: z.boolean() }),
    energy: z.object({
      origin: z.string(),
      attributed: domains,
      breakdown: domains,
      meters: domains,
    }),
    corePmus: z.array(z.string()),
    findings: z.array(z.object({ id: z.string(), level: z.string() })),
  });

  it('plans measured package and DRAM energy on a machine with SMT, and nothing blocks', () => {
    const result = checked.parse(JSON.parse(run.text('check.json')));
    console.log(run.text('check.txt'));
    expect(run.text('check.exit')).toBe('0\n');
    expect(result.exitCode).toBe(0);
    expect(result.host).toMatchObject({ packages: 1, hasSmt: true });
    const kinds = (of: readonly { readonly kind: string }[]) =>
      of.map((one) => one.kind).toSorted();
    expect(result.energy.origin).toBe('measured');
    expect(kinds(result.energy.attributed)).toEqual(['dram', 'package']);
    expect(kinds(result.energy.breakdown)).toEqual(['core', 'uncore']);
    expect(kinds(result.energy.meters)).toContain('platform');
    expect(result.corePmus).toEqual(['cpu']);
    expect(result.findings.filter((finding) => finding.level === 'blocking')).toEqual([]);
  });
});

describe.each(['perf', 'powercap'] as const)('agent on %s', (source) => {
  /** Steps of each attributed domain between consecutive windows, with what the hardware knows. */
  const steps = () => {
    const reports = readReports(run, source);
    const readings = readReadings(run, 'faults');
    const phases = readPhases(run, 'faults');
    const isPerf = source === 'perf';
    return reports.slice(1).flatMap((report, index) => {
      const before = reports[index];
      if (before === undefined) return [];
      return report.domains.filter(isAttributedKind).map((domain) => {
        const zone = zoneNameOf(domain);
        const earlier = before.domains.find((one) => one.id === domain.id);
        const at = (one: Report) =>
          readingOfWindow(readings, zone, isPerf, one.window.endNanos)?.trueNanojoules ?? 0n;
        return {
          zone,
          phase: phaseAt(phases, report.window.endNanos),
          state: domain.state,
          acceptedMicrojoules: domain.acceptedMicrojoules - (earlier?.acceptedMicrojoules ?? 0n),
          trueMicrojoules: (at(report) - at(before)) / 1000n,
        };
      });
    });
  };
  const statesOf = (phase: string): readonly string[] =>
    steps()
      .filter((step) => step.phase === phase)
      .map((step) => `${step.zone} ${step.state}`);

  it('uses that source alone for packages and DRAM', () => {
    const domains = readReports(run, source).at(-1)?.domains.filter(isAttributedKind) ?? [];
    expect(domains.map((domain) => domain.kind).toSorted()).toEqual(['dram', 'package']);
    expect(new Set(domains.map((domain) => domain.source))).toEqual(new Set([source]));
  });

  it('measures what the zones used, in every window, and over a wrap', () => {
    const steady = steps().filter((step) => step.phase === 'steady' || step.phase === 'wrap');
    expect(steady.length).toBeGreaterThanOrEqual(16);
    for (const step of steady) {
      expect(step.state).toBe('ok');
      expect(step.trueMicrojoules).toBeGreaterThan(0n);
      const error = step.acceptedMicrojoules - step.trueMicrojoules;
      expect(error < 0n ? -error : error).toBeLessThanOrEqual(ROUNDING_MICROJOULES);
    }
  });

  it('conserves every joule of every window, faults or not', () => {
    for (const report of readReports(run, source)) {
      for (const domain of report.domains.filter(isAttributedKind)) {
        expect(
          (domain.entitiesMicrojoules ?? 0n) +
            (domain.idleMicrojoules ?? 0n) +
            (domain.irqMicrojoules ?? 0n) +
            (domain.igpuMicrojoules ?? 0n) +
            (domain.unattributedMicrojoules ?? 0n),
        ).toBe(domain.acceptedMicrojoules);
      }
    }
  });

  it('never books more than the hardware used, and never goes back', () => {
    const totals = new Map<string, bigint>();
    for (const step of steps()) {
      expect(step.acceptedMicrojoules).toBeGreaterThanOrEqual(0n);
      totals.set(
        step.zone,
        (totals.get(step.zone) ?? 0n) + step.acceptedMicrojoules - step.trueMicrojoules,
      );
    }
    for (const surplus of totals.values()) {
      expect(surplus).toBeLessThanOrEqual(ROUNDING_MICROJOULES * BigInt(steps().length));
    }
  });

  it('says what was wrong in the window of each fault, and goes on', () => {
    const byPhase = new Map<string, readonly string[]>();
    for (const { name } of readPhases(run, 'faults')) {
      if (name !== 'steady' && name !== 'after') byPhase.set(name, statesOf(name));
    }
    console.log(
      [...byPhase].map(([phase, states]) => `${source} ${phase}: ${states.join(', ')}`).join('\n'),
    );
    // what both counters show, and what only powercap shows
    const both: Readonly<Record<string, RegExp>> = {
      freeze: /package-0 .*not-counting/,
      jump: /package-0 .*implausible/,
    };
    const powercapOnly: Readonly<Record<string, RegExp>> = {
      suspend: /package-0 .*(suspend|reset)/,
      reset: /package-0 .*(reset|implausible)/,
      garbage: /package-0 .*(out-of-range|not-a-number)/,
      'near-end': /package-0 .*implausible/,
      'above-range': /dram-0 .*out-of-range/,
      error: /package-0 .*failed/,
    };
    const mustSay = source === 'powercap' ? { ...both, ...powercapOnly } : both;
    for (const [phase, states] of byPhase) {
      const expected = mustSay[phase];
      if (expected !== undefined) expect(states.join('\n')).toMatch(expected);
    }
    // the wrap is how counters are; the other faults are not on perf's; its counter goes on over a sleep, and that
    // window may be taken or refused
    const mustBeOk =
      source === 'powercap' ? ['wrap'] : ['reset', 'garbage', 'above-range', 'error', 'wrap'];
    for (const phase of mustBeOk) {
      expect(statesOf(phase).filter((state) => !state.endsWith(' ok'))).toEqual([]);
    }
    expect(statesOf('end').slice(-2)).toEqual(['package-0 ok', 'dram-0 ok']);
  });

  it('ends in order when told to', () => {
    expect(run.text('agents.exit')).toBe('0 0\n');
  });
});

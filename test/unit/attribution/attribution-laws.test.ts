// SPDX-License-Identifier: Apache-2.0
/** The laws that hold for every model, policy and mix: nothing is lost, nothing is invented. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attribute, type AttributionSettings } from '../../../receiver/attribution/attribute.js';
import type { MemoryUse } from '../../../receiver/attribution/dram-weights.js';
import { DEFAULT_COEFFICIENTS } from '../../../receiver/model/coefficients.js';
import type { HostTopology } from '../../../receiver/model/host-topology.js';
import { microjoules } from '../../../receiver/model/units.js';
import type { DomainBalance } from '../../../receiver/model/window.js';
import { history } from '../../support/random-window.js';

const settings: fc.Arbitrary<AttributionSettings> = fc.record({
  model: fc.constantFrom('counters', 'time', 'seed'),
  idlePolicy: fc.constantFrom('none', 'equal', 'active', 'request'),
  dramSplit: fc.constantFrom('misses', 'rss', 'time'),
  seed: fc.record({
    alpha: fc.double({ min: 0, max: 1, noNaN: true }),
    baseInstructionsPerCycle: fc.double({ min: 0, max: 4, noNaN: true }),
  }),
});

const ratio = fc.double({ min: 0, max: 1, noNaN: true });

/** Cgroups 10 to 12 have their memory on both nodes; of 13 and 14 nothing is known. */
const memory: fc.Arbitrary<MemoryUse | undefined> = fc.option(
  fc
    .record({ onFirst: fc.array(ratio, { minLength: 3, maxLength: 3 }), bytes: ratio })
    .map(({ onFirst, bytes }): MemoryUse => ({
      nodeSharesOfCgroup: new Map(onFirst.map((part, at) => [BigInt(10 + at), [part, 1 - part]])),
      residentBytesOfProcess: new Map([[100, Math.floor(bytes * 2 ** 40)]]),
    })),
  { nil: undefined },
);

const reservations = fc.option(
  fc
    .array(fc.double({ min: 0, max: 64, noNaN: true }), { maxLength: 3 })
    .map((cpus) => new Map(cpus.map((count, at) => [BigInt(10 + at), count] as const))),
  { nil: undefined },
);

/** Of each domain the same: what earlier windows lacked of their idle energy. */
const owed = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(microjoules);

const hybrid = (topology: HostTopology): HostTopology => ({
  ...topology,
  cpuDomains: topology.cpuDomains.map((domain, at) => ({
    ...domain,
    coreType: at % 2 === 0 ? 'core' : 'atom',
  })),
});

const partsOf = (balance: DomainBalance): bigint =>
  [
    balance.entitiesMicrojoules,
    balance.idleMicrojoules,
    balance.irqMicrojoules,
    balance.igpuMicrojoules,
    ...balance.unattributed.values(),
  ].reduce<bigint>((sum, part) => sum + part, 0n);

const sum = (values: Float64Array): bigint =>
  values.reduce((all, value) => all + BigInt(value), 0n);

describe('attribute, with every model, policy and mix', () => {
  it('conserves each delta to the microjoule and gives the rows what the balances say', () => {
    fc.assert(
      fc.property(
        history(5),
        settings,
        memory,
        reservations,
        fc.boolean(),
        owed,
        ({ topology, idleFloors, steps }, chosen, memoryUse, reserved, isHybrid, lacked) => {
          for (const { window, readings } of steps) {
            const { balances, shares, inconsistencies } = attribute({
              window,
              readings,
              topology: isHybrid ? hybrid(topology) : topology,
              idleFloors,
              idleOwed: new Map([...idleFloors.keys()].map((id) => [id, lacked])),
              settings: chosen,
              memory: memoryUse,
              reservations: reserved,
            });
            expect(inconsistencies).toEqual([]);
            const accepted = readings.filter(
              ({ domain, step }) => domain.isAttributed && step._tag === 'Advanced',
            );
            expect(balances.map(({ domain }) => domain.id)).toEqual(
              accepted.map(({ domain }) => domain.id),
            );
            for (const balance of balances) {
              expect(partsOf(balance)).toBe(balance.deltaMicrojoules);
              expect(balance.idleMicrojoules).toBeGreaterThanOrEqual(0n);
            }
            for (const kind of ['package', 'dram'] as const) {
              const entities = balances
                .filter(({ domain }) => domain.kind === kind)
                .reduce((all, balance) => all + balance.entitiesMicrojoules, 0n);
              expect(sum(shares.tasks[kind]) + sum(shares.overflow[kind])).toBe(entities);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('never lets the scale of the coefficients change a share by more than rounding', () => {
    fc.assert(
      fc.property(history(2), fc.double({ min: 0.1, max: 10, noNaN: true }), (drawn, scale) => {
        const { topology, idleFloors, steps } = drawn;
        const scaled = topology.cpuDomains.map(() => {
          const { cycleNanojoules, instructionNanojoules, vectorNanojoules } = DEFAULT_COEFFICIENTS;
          return {
            cycleNanojoules: cycleNanojoules * scale,
            instructionNanojoules: instructionNanojoules * scale,
            vectorNanojoules: vectorNanojoules * scale,
            llcMissNanojoules: DEFAULT_COEFFICIENTS.llcMissNanojoules * scale,
            coreWatts: DEFAULT_COEFFICIENTS.coreWatts * scale,
            packageOnWatts: DEFAULT_COEFFICIENTS.packageOnWatts * scale,
          };
        });
        for (const { window, readings } of steps) {
          const input = { window, readings, topology, idleFloors };
          const [plain, other] = [attribute(input), attribute({ ...input, coefficients: scaled })];
          plain.shares.tasks.package.forEach((share, row) => {
            expect(Math.abs(share - (other.shares.tasks.package[row] ?? NaN))).toBeLessThan(2.01);
          });
        }
      }),
      { numRuns: 100 },
    );
  });
});

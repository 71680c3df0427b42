// SPDX-License-Identifier: Apache-2.0
/** Reads /sys/kernel/debug/simhw/truth: zones, buckets and owners of one instant, energies in nanojoules. */

export interface TruthZone {
  readonly name: string;
  readonly totalNanojoules: bigint;
  /** As the counter shows it: wrapped by its range. */
  readonly counterMicrojoules: bigint;
}

/** Nanojoules of one owner, by part, for one package. */
export interface TruthEnergy {
  readonly own: bigint;
  readonly core: bigint;
  readonly on: bigint;
  readonly mem: bigint;
  readonly dram: bigint;
}

export interface TruthProcess {
  readonly kind: 'process' | 'folded' | 'lost';
  /** Of `folded`: how many processes; of `lost`: how many switches. */
  readonly tgid: number;
  readonly startNanos: bigint;
  readonly isLive: boolean;
  readonly className: string;
  readonly home: number;
  readonly runNanos: bigint;
  readonly execNanos: bigint;
  readonly overlapNanos: bigint;
  readonly cycles: bigint;
  readonly instructions: bigint;
  readonly lines: bigint;
  /** Index = package. */
  readonly energy: readonly TruthEnergy[];
  readonly comm: string;
}

export interface TruthThread {
  readonly tid: number;
  readonly tgid: number;
  readonly startNanos: bigint;
  readonly isLive: boolean;
  readonly runNanos: bigint;
  readonly execNanos: bigint;
  readonly overlapNanos: bigint;
  readonly comm: string;
}

export interface TruthBucket {
  readonly name: string;
  readonly packageId: number;
  readonly energyNanojoules: bigint;
}

export interface Truth {
  readonly monotonicNanos: bigint;
  readonly beginNanos: bigint;
  readonly zones: readonly TruthZone[];
  readonly buckets: readonly TruthBucket[];
  /** Processes, and the two remainders. */
  readonly owners: readonly TruthProcess[];
  readonly threads: readonly TruthThread[];
  /** Records that did not fit into the snapshot: 0, or the sums cannot close. */
  readonly missing: number;
}

class Fields {
  constructor(private readonly fields: readonly string[]) {}
  text(index: number): string {
    const field = this.fields[index];
    if (field === undefined)
      throw new Error(`truth: no field ${index.toString()} in ${this.fields.join(' ')}`);
    return field;
  }
  bigint(index: number): bigint {
    return BigInt(this.text(index));
  }
  number(index: number): number {
    return Number(this.text(index));
  }
  get length(): number {
    return this.fields.length;
  }
}

const PARTS_PER_PACKAGE = 5;
const FIRST_PART = 12;

const parseEnergy = (fields: Fields): TruthEnergy[] => {
  const packages = (fields.length - FIRST_PART - 1) / PARTS_PER_PACKAGE;
  return Array.from({ length: packages }, (_, index) => {
    const at = FIRST_PART + index * PARTS_PER_PACKAGE;
    return {
      own: fields.bigint(at),
      core: fields.bigint(at + 1),
      on: fields.bigint(at + 2),
      mem: fields.bigint(at + 3),
      dram: fields.bigint(at + 4),
    };
  });
};

const parseOwner = (kind: TruthProcess['kind'], fields: Fields): TruthProcess => ({
  kind,
  tgid: fields.number(1),
  startNanos: fields.bigint(2),
  isLive: fields.text(3) === 'live',
  className: fields.text(4),
  home: fields.number(5),
  runNanos: fields.bigint(6),
  execNanos: fields.bigint(7),
  overlapNanos: fields.bigint(8),
  cycles: fields.bigint(9),
  instructions: fields.bigint(10),
  lines: fields.bigint(11),
  energy: parseEnergy(fields),
  comm: fields.text(fields.length - 1),
});

const parseThread = (fields: Fields): TruthThread => ({
  tid: fields.number(1),
  tgid: fields.number(2),
  startNanos: fields.bigint(3),
  isLive: fields.text(4) === 'live',
  runNanos: fields.bigint(5),
  execNanos: fields.bigint(6),
  overlapNanos: fields.bigint(7),
  comm: fields.text(8),
});

/** Throws on a file that was cut or is not of this version: a test must not go on with half a truth. */
export const parseTruth = (text: string): Truth => {
  if (!text.startsWith('# simhw-truth 1:')) throw new Error('truth: not a simhw-truth 1 file');
  const rows = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => new Fields(line.split('\t')));
  const of = (kind: string): Fields[] => rows.filter((fields) => fields.text(0) === kind);
  const [clock] = of('clock');
  const [end] = of('end');
  if (clock === undefined || end === undefined) throw new Error('truth: the file was cut');
  return {
    monotonicNanos: clock.bigint(2),
    beginNanos: clock.bigint(6),
    zones: of('zone').map((fields) => ({
      name: fields.text(1),
      totalNanojoules: fields.bigint(2),
      counterMicrojoules: fields.bigint(3),
    })),
    buckets: of('bucket').map((fields) => ({
      name: fields.text(1),
      packageId: fields.number(2),
      energyNanojoules: fields.bigint(3),
    })),
    owners: (['process', 'folded', 'lost'] as const).flatMap((kind) =>
      of(kind).map((fields) => parseOwner(kind, fields)),
    ),
    threads: of('thread').map(parseThread),
    missing: end.number(1),
  };
};

const sum = (values: readonly bigint[]): bigint =>
  values.reduce((total, value) => total + value, 0n);

export const packageNanojoules = (energy: TruthEnergy | undefined): bigint =>
  energy === undefined ? 0n : energy.own + energy.core + energy.on + energy.mem;

/** What the zone must show if every owner and bucket is added up. */
export const ownersOfZone = (truth: Truth, zoneName: string): bigint => {
  const [kind, number] = zoneName.split('-');
  const packageId = Number(number ?? 0);
  const bucket = (name: string): bigint =>
    sum(
      truth.buckets
        .filter((one) => one.name === name && one.packageId === packageId)
        .map((one) => one.energyNanojoules),
    );
  const part = (of: (energy: TruthEnergy) => bigint): bigint =>
    sum(
      truth.owners
        .map((owner) => owner.energy[packageId])
        .map((one) => (one === undefined ? 0n : of(one))),
    );
  switch (kind) {
    case 'package':
      return part(packageNanojoules) + bucket('idle-floor') + bucket('idle-core') + bucket('igpu');
    case 'core':
      return part((energy) => energy.own + energy.core) + bucket('idle-core');
    case 'uncore':
      return bucket('igpu');
    case 'dram':
      return part((energy) => energy.dram) + bucket('dram-background');
    case 'psys':
      return (
        bucket('rest') +
        sum(
          truth.zones
            .filter((zone) => /^(package|dram)-/.test(zone.name))
            .map((zone) => ownersOfZone(truth, zone.name)),
        )
      );
    default:
      throw new Error(`truth: no rule for zone ${zoneName}`);
  }
};

export const zoneOf = (truth: Truth, name: string): TruthZone => {
  const zone = truth.zones.find((one) => one.name === name);
  if (zone === undefined) throw new Error(`truth: no zone ${name}`);
  return zone;
};

/** The one process of that name that ran longest: a shell that was about to become it has the name too. */
export const processNamed = (truth: Truth, comm: string): TruthProcess => {
  const found = truth.owners
    .filter((owner) => owner.kind === 'process' && owner.comm === comm)
    .toSorted((a, b) => Number(b.isLive) - Number(a.isLive) || Number(b.runNanos - a.runNanos));
  if (found[0] === undefined) throw new Error(`truth: no process ${comm}`);
  return found[0];
};

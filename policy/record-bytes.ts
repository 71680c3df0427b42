// SPDX-License-Identifier: Apache-2.0
/** Writes and reads members of a record by its generated layout. Little-endian: what BPF runs on here. Pure. */

export interface RecordLayout<Member extends string> {
  readonly sizeBytes: number;
  readonly offset: Readonly<Record<Member, number>>;
  readonly widthBytes: Readonly<Record<Member, number>>;
}

export type RecordValues<Member extends string> = Partial<
  Readonly<Record<Member, number | bigint>>
>;

const BITS_PER_BYTE = 8;

/** Rounds and clamps: a record has no NaN, no negative and no too large number. */
const asUnsigned = (value: number | bigint, widthBytes: number): bigint => {
  const most = (1n << BigInt(widthBytes * BITS_PER_BYTE)) - 1n;
  if (typeof value === 'number' && Number.isNaN(value)) return 0n;
  const whole =
    typeof value === 'bigint'
      ? value
      : Number.isFinite(value)
        ? BigInt(Math.round(value))
        : value > 0
          ? most
          : 0n;
  return whole < 0n ? 0n : whole > most ? most : whole;
};

const writeAt = (view: DataView, at: number, widthBytes: number, value: bigint): void => {
  switch (widthBytes) {
    case 2:
      return view.setUint16(at, Number(value), true);
    case 4:
      return view.setUint32(at, Number(value), true);
    case 8:
      return view.setBigUint64(at, value, true);
    default:
      throw new RangeError(`a member of ${widthBytes} bytes is no number`);
  }
};

const readAt = (view: DataView, at: number, widthBytes: number): bigint => {
  switch (widthBytes) {
    case 2:
      return BigInt(view.getUint16(at, true));
    case 4:
      return BigInt(view.getUint32(at, true));
    case 8:
      return view.getBigUint64(at, true);
    default:
      throw new RangeError(`a member of ${widthBytes} bytes is no number`);
  }
};

/** Records one behind the other; members that are not given are zero, which means unknown. */
export const encodeRecords = <Member extends string>(
  layout: RecordLayout<Member>,
  records: readonly RecordValues<NoInfer<Member>>[],
): Uint8Array => {
  const bytes = new Uint8Array(records.length * layout.sizeBytes);
  const view = new DataView(bytes.buffer);
  const offsets = new Map(Object.entries<number>(layout.offset));
  const widths = new Map(Object.entries<number>(layout.widthBytes));
  records.forEach((record, index) => {
    for (const [member, value] of Object.entries<number | bigint | undefined>(record)) {
      if (value === undefined) continue;
      const width = widths.get(member) ?? 0;
      const at = index * layout.sizeBytes + (offsets.get(member) ?? 0);
      writeAt(view, at, width, asUnsigned(value, width));
    }
  });
  return bytes;
};

export interface RecordReader<Member extends string> {
  readonly number: (member: Member) => number;
  readonly bigint: (member: Member) => bigint;
}

/** One reader per whole record in `bytes`; a rest is left out. */
export const readRecords = <Member extends string>(
  layout: RecordLayout<Member>,
  bytes: Uint8Array,
): readonly RecordReader<Member>[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor(bytes.byteLength / layout.sizeBytes);
  return Array.from({ length: count }, (_, index) => {
    const bigint = (member: Member): bigint =>
      readAt(view, index * layout.sizeBytes + layout.offset[member], layout.widthBytes[member]);
    return { bigint, number: (member) => Number(bigint(member)) };
  });
};

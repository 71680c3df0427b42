// SPDX-License-Identifier: Apache-2.0
/** The function that an offset of an ELF file lies in, 32 or 64 bits, little-endian. Reads no more than it needs. */

/** Bytes of the file; fewer where it ends. */
export type ReadFile = (offset: number, length: number) => Buffer;

interface Layout {
  readonly is64: boolean;
  readonly programHeaders: Table;
  readonly sections: Table;
}

interface Table {
  readonly offset: number;
  readonly size: number;
  readonly count: number;
}

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  /** Of the section with the names. */
  readonly link: number;
}

const HEADER_BYTES = 64;
const ELF_MAGIC = 0x464c457f; // 0x7f "ELF"
const PT_LOAD = 1;
const SHT_SYMTAB = 2;
const SHT_DYNSYM = 11;
const STT_FUNC = 2;
const STT_GNU_IFUNC = 10;
const TYPE_MASK = 0xf;
/** A file that says more is not believed. */
const MAX_ENTRIES = 4_096;
const MAX_TABLE_BYTES = 128 * 1024 * 1024;
const MAX_NAME_BYTES = 1_024;

const wordAt = (bytes: Buffer, at: number, is64: boolean): number =>
  is64 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at);

const layoutOf = (read: ReadFile): Layout | undefined => {
  const header = read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUInt32LE(0) !== ELF_MAGIC) return undefined;
  const is64 = header.readUInt8(4) === 2;
  const at = is64 ? { ph: 32, sh: 40, sizes: 54 } : { ph: 28, sh: 32, sizes: 42 };
  const short = (offset: number): number => header.readUInt16LE(offset);
  return {
    is64,
    programHeaders: {
      offset: wordAt(header, at.ph, is64),
      size: short(at.sizes),
      count: short(at.sizes + 2),
    },
    sections: {
      offset: wordAt(header, at.sh, is64),
      size: short(at.sizes + 4),
      count: short(at.sizes + 6),
    },
  };
};

const rowsOf = (read: ReadFile, { offset, size, count }: Table): readonly Buffer[] => {
  if (count > MAX_ENTRIES || size === 0) return [];
  const bytes = read(offset, size * count);
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, row) =>
    bytes.subarray(row * size, (row + 1) * size),
  );
};

/** File offset to the address that the symbols speak of. */
const addressOf = (read: ReadFile, layout: Layout, offset: number): number | undefined => {
  const { is64 } = layout;
  const at = is64 ? { offset: 8, address: 16, size: 32 } : { offset: 4, address: 8, size: 16 };
  for (const row of rowsOf(read, layout.programHeaders)) {
    const begin = wordAt(row, at.offset, is64);
    const size = wordAt(row, at.size, is64);
    if (row.readUInt32LE(0) === PT_LOAD && offset >= begin && offset < begin + size)
      return offset - begin + wordAt(row, at.address, is64);
  }
  return undefined;
};

const sectionsOf = (read: ReadFile, { is64, sections }: Layout): readonly Section[] =>
  rowsOf(read, sections).map((row) => ({
    type: row.readUInt32LE(4),
    offset: wordAt(row, is64 ? 24 : 16, is64),
    size: wordAt(row, is64 ? 32 : 20, is64),
    link: row.readUInt32LE(is64 ? 40 : 24),
  }));

/** Offset of the name of the function around `address`, in the names' section. */
const nameOffset = (bytes: Buffer, address: number, is64: boolean): number | undefined => {
  const size = is64 ? 24 : 16;
  const at = is64 ? { info: 4, value: 8, size: 16 } : { info: 12, value: 4, size: 8 };
  for (let row = 0; row + size <= bytes.length; row += size) {
    const type = bytes.readUInt8(row + at.info) & TYPE_MASK;
    if (type !== STT_FUNC && type !== STT_GNU_IFUNC) continue;
    const begin = wordAt(bytes, row + at.value, is64);
    const length = wordAt(bytes, row + at.size, is64);
    if (address >= begin && address < begin + length) return bytes.readUInt32LE(row);
  }
  return undefined;
};

const textAt = (read: ReadFile, offset: number): string => {
  const bytes = read(offset, MAX_NAME_BYTES);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
};

/** Undefined: no ELF, stripped, or in no function. May throw on a file that is broken. */
export const functionAt = (read: ReadFile, offset: number): string | undefined => {
  const layout = layoutOf(read);
  const address = layout && addressOf(read, layout, offset);
  if (layout === undefined || address === undefined) return undefined;
  const sections = sectionsOf(read, layout);
  for (const type of [SHT_SYMTAB, SHT_DYNSYM]) {
    const table = sections.find((section) => section.type === type);
    const names = table && sections[table.link];
    if (table === undefined || names === undefined || table.size > MAX_TABLE_BYTES) continue;
    const name = nameOffset(read(table.offset, table.size), address, layout.is64);
    if (name !== undefined) return textAt(read, names.offset + name);
  }
  return undefined;
};

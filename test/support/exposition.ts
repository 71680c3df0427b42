// SPDX-License-Identifier: Apache-2.0
/** Prometheus' text format, as far as an exporter writes it: samples, each after its `# TYPE`. */

export interface ExposedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;

const labelsOf = (text: string): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {};
  let end = 0;
  for (const [whole, name = '', value = ''] of text.matchAll(LABEL)) {
    labels[name] = value.replaceAll('\\"', '"').replaceAll('\\n', '\n').replaceAll('\\\\', '\\');
    end += whole.length;
  }
  if (end !== text.length) throw new Error(`not labels: ${text}`);
  return labels;
};

/** Throws at a line that is none, and at a sample whose type was not told before it. */
export const parseExposition = (text: string): readonly ExposedSample[] => {
  const types = new Set<string>();
  return text.split('\n').flatMap((line) => {
    const type = /^# TYPE (\S+) \w+$/.exec(line)?.[1];
    if (type !== undefined) types.add(type);
    if (line === '' || line.startsWith('#')) return [];
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    if (name === '' || !types.has(name)) throw new Error(`not a sample of a known type: ${line}`);
    return [{ name, labels: labelsOf(labels), value: Number(value) }];
  });
};

/** Of all samples of that name which have these labels. */
export const sumOf = (
  samples: readonly ExposedSample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  samples
    .filter((sample) => sample.name === name)
    .filter((sample) =>
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);

// SPDX-License-Identifier: Apache-2.0
/** Writes docs/configuration.md and docs/config.schema.json; with --check, fails if they differ. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { configJsonSchemaText } from '../receiver/config/json-schema.js';
import { configReferenceText } from '../receiver/config/reference.js';

const pathOf = (name: string): string => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));

const formatted = async (path: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(path)), filepath: path });

const textAt = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // Not there: differs from everything, which is what --check has to say.
  }
};

const files = [
  { path: pathOf('configuration.md'), text: configReferenceText() },
  { path: pathOf('config.schema.json'), text: configJsonSchemaText() },
];
const isCheck = process.argv.includes('--check');
for (const { path, text } of files) {
  const wanted = await formatted(path, text);
  if (textAt(path) === wanted) continue;
  if (isCheck) {
    console.error(`check ${path}: out of date; run npx tsx scripts/gen-config-doc.ts`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, wanted);
    console.log(`wrote ${path}`);
  }
}

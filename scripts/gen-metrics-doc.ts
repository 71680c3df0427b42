// SPDX-License-Identifier: Apache-2.0
/**
 * Writes docs/metrics.md from the table of instruments. `--check` writes nothing and fails if the file
 * differs. `--stdout` prints the page.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { metricsDocument } from '../receiver/export/docs.js';

const target = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'metrics.md');

const current = (): string => {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return '';
  }
};

const main = (mode: string | undefined): number => {
  const wanted = metricsDocument();
  if (mode === '--stdout') {
    process.stdout.write(wanted);
    return 0;
  }
  if (mode === '--check') {
    if (current() === wanted) return 0;
    process.stderr.write(
      'check docs/metrics.md: differs from the table of instruments; run scripts/gen-metrics-doc.ts and commit the file\n',
    );
    return 1;
  }
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, wanted);
  return 0;
};

process.exitCode = main(process.argv[2]);

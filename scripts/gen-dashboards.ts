// SPDX-License-Identifier: Apache-2.0
/** Writes otel-config/grafana/*.json. `--check` writes nothing and fails if a file differs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DASHBOARDS, dashboardText } from './dashboards/all.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'otel-config', 'grafana');

const current = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const main = (isCheck: boolean): number => {
  let exitCode = 0;
  for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
    const path = join(folder, `${name}.json`);
    const wanted = dashboardText(dashboard);
    if (!isCheck) {
      writeFileSync(path, wanted);
    } else if (current(path) !== wanted) {
      process.stderr.write(
        `check otel-config/grafana/${name}.json: differs from its source; run scripts/gen-dashboards.ts and commit the file\n`,
      );
      exitCode = 1;
    }
  }
  return exitCode;
};

process.exitCode = main(process.argv[2] === '--check');

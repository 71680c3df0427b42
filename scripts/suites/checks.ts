// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';

import { firstLineOf, runCommand } from './process.js';
import { sourceRuleViolations } from './source-rules.js';
import type { TestCounts } from './vitest-report.js';

/** eslint with types takes 15 s on an idle machine of two cores, and minutes on a crowded one. */
const CHECK_TIMEOUT_MILLIS = 600_000;
/** Its output differs between versions; Debian 12's is the one that the sources are formatted by. */
const CLANG_FORMAT_MAJOR = 14;

type Verdict =
  | { readonly _tag: 'Passed' }
  | { readonly _tag: 'Failed'; readonly output: string }
  | { readonly _tag: 'Skipped'; readonly reason: string };

interface Check {
  readonly name: string;
  readonly run: () => Promise<Verdict>;
}

const command = (name: string, ...words: readonly string[]): Check => ({
  name,
  run: async () => {
    const exit = await runCommand(words, { timeoutMillis: CHECK_TIMEOUT_MILLIS, output: 'keep' });
    if (exit.exitCode === 0) return { _tag: 'Passed' };
    const ending = exit.timedOut ? 'timed out\n' : '';
    return { _tag: 'Failed', output: `${exit.output}${ending}` };
  },
});

const bin = (tool: string) => `node_modules/.bin/${tool}`;

/** A generator with `--check` compares what it would write with what is committed. */
const generated = (name: string, script: string): readonly Check[] =>
  existsSync(script)
    ? [command(`${name} is what its generator writes`, bin('tsx'), script, '--check')]
    : [];

/** Tracked and new files, without what .gitignore names; fixtures hold links, also to folders. */
const ownFiles = (): readonly string[] =>
  spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((path) => path !== '' && lstatSync(path, { throwIfNoEntry: false })?.isFile());

const sourceRules = (files: readonly string[]): Check => ({
  name: 'licence lines, lock file',
  run: () => {
    const sources = files.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    const violations = sourceRuleViolations(sources);
    return Promise.resolve(
      violations.length === 0
        ? { _tag: 'Passed' }
        : { _tag: 'Failed', output: `${violations.join('\n')}\n` },
    );
  },
});

const needsTool = (check: Check, obstacle: string | undefined): Check =>
  obstacle === undefined
    ? check
    : { name: check.name, run: () => Promise.resolve({ _tag: 'Skipped', reason: obstacle }) };

const shellcheck = (files: readonly string[]): Check =>
  needsTool(
    command(
      'shellcheck',
      'shellcheck',
      '-x',
      ...files.filter((path) => /\.sh$|^\.ci\/run$/.test(path)),
    ),
    firstLineOf('shellcheck', '--version') === undefined
      ? 'shellcheck is not installed'
      : undefined,
  );

/** Folders that say their own style; records.h and power_feed.h are tables laid out by hand. */
const C_SOURCES = [
  {
    style: 'bpf/.clang-format',
    files: /^bpf\/([^/]*\.c|loader\/[^/]*\.[ch]|include\/[^/]*\.bpf\.h)$/,
  },
  { style: 'native/.clang-format', files: /^native\/(src|test)\/.*\.(cc|hh)$/ },
  { style: 'bench/.clang-format', files: /^bench\/(switch|feed|lib)\/[^/]*\.[ch]$/ },
];

const clangFormat = (files: readonly string[]): readonly Check[] => {
  const sources = C_SOURCES.filter(({ style }) => existsSync(style)).flatMap((folder) =>
    files.filter((path) => folder.files.test(path)),
  );
  if (sources.length === 0) return [];
  const version = firstLineOf('clang-format', '--version');
  const isPinned = version?.includes(`version ${CLANG_FORMAT_MAJOR}.`) === true;
  const obstacle = isPinned ? undefined : `needs clang-format ${CLANG_FORMAT_MAJOR}`;
  return [
    needsTool(
      command('clang-format', 'clang-format', '--dry-run', '-Werror', ...sources),
      obstacle,
    ),
  ];
};

/** What .dependency-cruiser.cjs has rules for. */
const CRUISED = ['receiver', 'policy', 'native/index.ts'];

/** Registers and atomics differ there; no such machine runs the tests. */
const ARM64 = ['ARCH=arm64', 'BUILD=build/arm64'];

/** Every check on the text of the sources; nothing here runs the product. */
const allChecks = (): readonly Check[] => {
  const files = ownFiles();
  return [
    command('prettier', bin('prettier'), '--check', '--log-level', 'warn', '.'),
    command('types', bin('tsc'), '-p', 'tsconfig.check.json'),
    command('eslint', bin('eslint'), '.'),
    command(
      'direction of dependency',
      bin('depcruise'),
      ...CRUISED.filter((path) => existsSync(path)),
    ),
    ...generated('native/layout.generated.ts', 'scripts/gen-layout.ts'),
    ...generated('native/spin-layout.generated.ts', 'scripts/gen-spin-layout.ts'),
    ...generated('docs/metrics.md', 'scripts/gen-metrics-doc.ts'),
    ...generated('docs/configuration.md', 'scripts/gen-config-doc.ts'),
    ...generated('otel-config/grafana', 'scripts/gen-dashboards.ts'),
    command('BPF programs for arm64', 'make', '--silent', '-C', 'bpf', ...ARM64, 'objects'),
    sourceRules(files),
    shellcheck(files),
    ...clangFormat(files),
  ];
};

const printVerdict = (name: string, verdict: Verdict): void => {
  switch (verdict._tag) {
    case 'Passed':
      console.log(`  passed   ${name}`);
      break;
    case 'Skipped':
      console.log(`  skipped  ${name}: ${verdict.reason}`);
      break;
    case 'Failed':
      console.log(`  failed   ${name}\n${verdict.output.replace(/^(?=.)/gm, '    | ')}`);
      break;
  }
};

/** Runs the checks one after another and counts each as one test. */
export const runChecks = async (): Promise<TestCounts> => {
  const counts = { Passed: 0, Failed: 0, Skipped: 0 };
  const skipped: string[] = [];
  const failures: string[] = [];
  for (const check of allChecks()) {
    const verdict = await check.run();
    counts[verdict._tag] += 1;
    if (verdict._tag === 'Skipped') skipped.push(check.name);
    if (verdict._tag === 'Failed') failures.push(check.name);
    printVerdict(check.name, verdict);
  }
  const note = skipped.length === 0 ? '' : `skipped: ${skipped.join(', ')}`;
  return { passed: counts.Passed, failed: counts.Failed, skipped: counts.Skipped, note, failures };
};

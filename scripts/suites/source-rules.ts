// SPDX-License-Identifier: Apache-2.0

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const SOURCE_EXTENSION = /\.(ts|js|cjs|mjs|c|cc|h|hh|sh|cmake)$/;
/** Taken from elsewhere or made by a tool, with their own heads. */
const EXEMPT = /^bpf\/vmlinux\/|\.generated\.ts$/;
/** A shebang, and a block comment's opening, may come first. */
const SPDX_WITHIN_LINES = 3;

const lacksLicence = ({ path, text }: SourceFile): boolean =>
  (SOURCE_EXTENSION.test(path) || path === '.ci/run' || path === 'Dockerfile') &&
  !EXEMPT.test(path) &&
  !text.split('\n', SPDX_WITHIN_LINES).some((line) => line.includes('SPDX-License-Identifier:'));

const namesRegistryHost = ({ path, text }: SourceFile): boolean =>
  path.endsWith('package-lock.json') && /"resolved":\s*"https?:/.test(text);

/** What no other tool checks about our sources; one line per violation. */
export const sourceRuleViolations = (files: readonly SourceFile[]): readonly string[] =>
  files.flatMap((file) => [
    ...(lacksLicence(file)
      ? [`${file.path}: no SPDX-License-Identifier in the first ${SPDX_WITHIN_LINES} lines`]
      : []),
    ...(namesRegistryHost(file)
      ? [`${file.path}: names a registry's host; run npm install with this checkout's .npmrc`]
      : []),
  ]);

// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDockerfile } from '../../../scripts/image/dockerfile.js';

describe('parseDockerfile', () => {
  it('reads stages, continued lines and lists of words', () => {
    const stages = parseDockerfile(
      [
        '# comment',
        'FROM node:24 AS build',
        'WORKDIR /src',
        'RUN a \\',
        '    && b',
        'FROM debian:12',
        'COPY --from=build /x /y /to/',
        'USER 0',
        'HEALTHCHECK --interval=30s --retries=3 \\',
        '    CMD ["node", "check"]',
        'ENTRYPOINT ["run"]',
        'CMD ["a", "b"]',
      ].join('\n'),
    );
    expect(stages).toEqual([
      expect.objectContaining({
        base: 'node:24',
        name: 'build',
        instructions: [
          { _tag: 'Workdir', path: '/src' },
          { _tag: 'Run', command: 'a && b' },
        ],
      }),
      {
        base: 'debian:12',
        name: '1',
        instructions: [{ _tag: 'Copy', from: 'build', sources: ['/x', '/y'], target: '/to/' }],
        user: '0',
        entrypoint: ['run'],
        command: ['a', 'b'],
        healthcheck: ['node', 'check'],
      },
    ]);
  });

  it('refuses what it does not know', () => {
    expect(() => parseDockerfile('FROM a\nADD b c')).toThrow('ADD is not known');
  });

  it('reads ours: two stages, a health check', () => {
    const ours = parseDockerfile(
      readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8'),
    );
    expect(ours).toHaveLength(2);
    expect(ours[1]?.healthcheck).toEqual(['node', '/usr/local/lib/wattfeed/healthcheck.mjs']);
  });
});

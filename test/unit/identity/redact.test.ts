// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactArguments } from '../../../receiver/identity/redact.js';

const SECRET = 'hunter2';

describe('redactArguments', () => {
  it.each([
    [['mysql', '--password=hunter2', '-h', 'db'], 'mysql --password=*** -h db'],
    [['curl', '--token', 'hunter2', 'x'], 'curl --token *** x'],
    [['env', 'API_KEY=hunter2', 'PATH=/bin', 'run'], 'env API_KEY=*** PATH=/bin run'],
    [['pg', 'postgres://u:hunter2@db:5432/x'], 'pg postgres://***@db:5432/x'],
    [['run', '--url=https://me:hunter2@host/a'], 'run --url=https://***@host/a'],
    [['run', 'ghp_0123456789abcdefABCDEF0123'], 'run ***'],
    [['node', '/srv/app/server.js', '--port', '80'], 'node /srv/app/server.js --port 80'],
  ])('makes of %j', (args, text) => {
    expect(redactArguments(args).join(' ')).toBe(text);
  });

  it('lets no value of a secretive option through, wherever it stands', () => {
    const name = fc.constantFrom(
      '--password',
      '--db-secret',
      '--auth-token',
      '-apikey',
      '--cookie',
    );
    const word = fc.string({ maxLength: 12 }).filter((text) => !text.includes(SECRET));
    fc.assert(
      fc.property(
        fc.array(word),
        name,
        fc.array(word),
        fc.boolean(),
        (before, option, after, isOne) => {
          const own = isOne ? [`${option}=${SECRET}`] : [option, SECRET];
          expect(redactArguments([...before, ...own, ...after]).join(' ')).not.toContain(SECRET);
        },
      ),
    );
  });
});

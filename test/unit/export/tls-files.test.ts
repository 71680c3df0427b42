// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tlsComplaints } from '../../../receiver/export/tls-files.js';
import { complaintText } from '../../../receiver/model/errors.js';

let directory: string;
const at = (name: string): string => join(directory, name);

/** A certificate that has signed itself, and its key. */
const makePair = (name: string): void => {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
  execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', '-subj', `/CN=${name}`, ...files], {
    stdio: 'ignore',
  });
};

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-tls-'));
  makePair('one');
  makePair('two');
  writeFileSync(at('garbage.pem'), 'no certificate\n');
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const named = (name: string) => ({ variable: 'V', path: at(name) });

describe('tlsComplaints', () => {
  it('finds nothing wrong with a pair that was made together', () => {
    const files = {
      certificate: named('two.pem'),
      clientCertificate: named('one.pem'),
      clientKey: named('one.key'),
    };
    expect(tlsComplaints(files)).toEqual([]);
    expect(tlsComplaints({})).toEqual([]);
  });

  it.each([
    ['absent.pem', 'ENOENT'],
    ['garbage.pem', 'it does not hold a certificate'],
    ['one.key', 'it does not hold a certificate'],
    ['.', 'EISDIR'],
  ])('refuses %s as a certificate', (name, cause) => {
    const [complaint, ...others] = tlsComplaints({ certificate: named(name) });
    expect(others).toEqual([]);
    expect(complaint && complaintText(complaint)).toContain(`read V=${at(name)}: ${cause}`);
  });

  it('refuses the key of another certificate', () => {
    const files = { clientCertificate: named('one.pem'), clientKey: named('two.key') };
    expect(tlsComplaints(files)).toMatchObject([
      { what: `read V=${at('two.key')}`, cause: expect.stringContaining('not the key') },
    ]);
  });
});

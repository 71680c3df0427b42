// SPDX-License-Identifier: Apache-2.0
/**
 * Tries the files of the connection before anything is measured. The SDK would read them at the first
 * export, warn, and go on without: to believe the usual authorities, or to send no client certificate,
 * is not what was asked for.
 */
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { codeOf } from '../host/error-code.js';
import { namedFileCause, readNamedFile } from '../host/regular-file.js';
import type { Complaint } from '../model/errors.js';
import type { NamedFile, TlsFiles } from './environment-tls.js';

const complaint = ({ variable, path }: NamedFile, cause: string, remedy: string): Complaint => ({
  what: `read ${variable}=${path}`,
  cause,
  remedy,
});

/** Left undefined where the file is not given; a complaint where it cannot be used. */
const usableText = (
  file: NamedFile | undefined,
  parse: (text: string) => unknown,
  kind: string,
  complaints: Complaint[],
): string | undefined => {
  if (file === undefined) return undefined;
  const text = readNamedFile(file.path);
  if (text._tag === 'Left') {
    complaints.push(
      complaint(file, namedFileCause(text.left), `name a readable PEM file with ${kind}`),
    );
    return undefined;
  }
  try {
    parse(text.right);
    return text.right;
  } catch (error) {
    const cause = `it does not hold ${kind} (${codeOf(error, 'not readable')})`;
    complaints.push(complaint(file, cause, 'a PEM file is needed'));
    return undefined;
  }
};

const asCertificate = (text: string): unknown => new X509Certificate(text);

/** All that is wrong with them; nothing where all can be used. */
export const tlsComplaints = (files: TlsFiles): readonly Complaint[] => {
  const complaints: Complaint[] = [];
  usableText(files.certificate, asCertificate, 'a certificate', complaints);
  const cert = usableText(files.clientCertificate, asCertificate, 'a certificate', complaints);
  const key = usableText(files.clientKey, createPrivateKey, 'a private key', complaints);
  if (files.clientKey === undefined || cert === undefined || key === undefined) return complaints;
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const cause = `it is not the key of the client’s certificate (${codeOf(error, 'mismatch')})`;
    complaints.push(complaint(files.clientKey, cause, 'name the two that were made together'));
  }
  return complaints;
};

// SPDX-License-Identifier: Apache-2.0
/** Which files the environment names for TLS, and whether the connection will look at them; pure. */
import type { EnvironmentReader } from './environment-reader.js';

/** A file and the variable that names it. */
export interface NamedFile {
  readonly variable: string;
  readonly path: string;
}

export interface TlsFiles {
  /** Authorities that are believed, instead of the usual ones. */
  readonly certificate?: NamedFile;
  readonly clientCertificate?: NamedFile;
  readonly clientKey?: NamedFile;
}

const SUFFIXES = [
  ['certificate', 'CERTIFICATE'],
  ['clientCertificate', 'CLIENT_CERTIFICATE'],
  ['clientKey', 'CLIENT_KEY'],
] as const;

export const isInsecure = (reader: EnvironmentReader): boolean =>
  reader.otlp('INSECURE')?.[1].toLowerCase() === 'true';

/** As the SDK decides it: a scheme goes before the variable; the default endpoint is http. */
const isPlain = (reader: EnvironmentReader, endpoint: string | undefined): boolean => {
  if (endpoint === undefined || endpoint.startsWith('http://')) return true;
  return !endpoint.startsWith('https://') && isInsecure(reader);
};

/**
 * A plain connection needs none; that one was named is a warning, for whoever named it believes
 * that the connection is encrypted. Of a client's key and certificate the SDK uses none without the other.
 */
export const tlsFilesOf = (reader: EnvironmentReader, endpoint: string | undefined): TlsFiles => {
  const files: Partial<Record<keyof TlsFiles, NamedFile>> = {};
  for (const [name, suffix] of SUFFIXES) {
    const found = reader.otlp(suffix);
    if (found === undefined) continue;
    const [variable, path] = found;
    if (isPlain(reader, endpoint))
      reader.warn(variable, path, 'the connection is not encrypted', 'use an https:// endpoint');
    else files[name] = { variable, path };
  }
  const lone = files.clientKey ?? files.clientCertificate;
  if (
    lone !== undefined &&
    (files.clientKey === undefined) !== (files.clientCertificate === undefined)
  )
    reader.fail(
      `read ${lone.variable}=${lone.path}`,
      'a client’s certificate and its key go together, and only one is given',
      'set both OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY',
    );
  return files;
};

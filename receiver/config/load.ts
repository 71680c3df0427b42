// SPDX-License-Identifier: Apache-2.0
/** Reads the configuration file, if there is one to read, and decodes it with flags and environment. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { namedFileCause, readNamedFile, type NamedFileError } from '../host/regular-file.js';
import type { Complaint } from '../model/errors.js';
import type { Config } from './config.js';
import { decodeConfig, type ConfigInput } from './decode.js';

export const DEFAULT_CONFIG_PATH = '/etc/wattfeed/config.yaml';

export interface ConfigRequest {
  /** Given by the user: it must exist. Undefined: the default path, which need not. */
  readonly path: string | undefined;
  readonly flags: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const remedyByCode: Readonly<Record<string, string>> = {
  ENOENT: 'create it with wattfeed config --defaults, or leave --config out',
  EACCES: 'run as root or make the file readable',
  EISDIR: 'name the file, not its directory',
};

const remedyOf = (error: NamedFileError): string =>
  error._tag === 'Unreadable'
    ? (remedyByCode[error.code] ?? '')
    : 'name a configuration file; compare with wattfeed config --defaults';

const isAbsent = (error: NamedFileError): boolean =>
  error._tag === 'Unreadable' && error.code === 'ENOENT';

/** The file's text; undefined where the default file does not exist. */
export const readConfigFile = (
  path: string | undefined,
  defaultPath: string = DEFAULT_CONFIG_PATH,
): E.Either<readonly Complaint[], ConfigInput['file']> => {
  const file = path ?? defaultPath;
  return pipe(
    readNamedFile(file),
    E.map((text): ConfigInput['file'] => ({ path: file, text: text.replace(/\n$/, '') })),
    E.orElse((error): E.Either<readonly Complaint[], ConfigInput['file']> =>
      path === undefined && isAbsent(error)
        ? E.right(undefined)
        : E.left([{ what: `read ${file}`, cause: namedFileCause(error), remedy: remedyOf(error) }]),
    ),
  );
};

export const loadConfig = (
  { path, flags, env }: ConfigRequest,
  defaultPath: string = DEFAULT_CONFIG_PATH,
): E.Either<readonly Complaint[], Config> =>
  pipe(
    readConfigFile(path, defaultPath),
    E.flatMap((file) => decodeConfig({ file, flags, env })),
  );

// SPDX-License-Identifier: Apache-2.0
/** Makes the directory that holds the lock, and later the pins: mode 0700, below a mounted bpffs. */
import * as E from 'fp-ts/lib/Either.js';
import { makeDirectory } from '../host/directories.js';
import type { Complaint } from '../model/errors.js';

const OWNER_ONLY_MODE = 0o700;
const MOUNT = 'mount bpffs: mount -t bpf bpf /sys/fs/bpf';

const REMEDIES: Readonly<Record<string, string>> = {
  // sysfs answers so to mkdir: nothing is mounted on its `fs/bpf`.
  ENOENT: MOUNT,
  EPERM: `${MOUNT} (as root)`,
  EACCES: 'run as root',
  EROFS: 'mount bpffs read-write into this container',
  ENOTDIR: 'give agent.pin_directory a directory on a mounted bpffs',
};

export const makePinDirectory = (path: string): E.Either<Complaint, void> =>
  E.mapLeft<{ readonly path: string; readonly code: string }, Complaint>(
    ({ code, path: made }) => ({
      what: `make directory ${made}`,
      cause: code,
      remedy: REMEDIES[code] ?? 'give agent.pin_directory a directory on a mounted bpffs',
    }),
  )(makeDirectory(path, OWNER_ONLY_MODE));

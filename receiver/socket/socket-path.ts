// SPDX-License-Identifier: Apache-2.0
/** The socket's file: who may have left it there, and whether it may be replaced or trusted. */
import { lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { makeDirectory } from '../host/directories.js';
import { codeOf } from '../host/error-code.js';
import type { Complaint } from '../model/errors.js';
import { lineSplitter, parseJson } from './lines.js';
import { MAX_REQUEST_BYTES } from './protocol.js';
import { messageSchema } from './report-schema.js';

/** sockaddr_un.sun_path of Linux, less its terminating zero byte. */
const MAX_PATH_BYTES = 107;
const DIRECTORY_MODE = 0o755;
const PROBE_MILLIS = 1000;

const remedyByCode: Readonly<Record<string, string>> = {
  EACCES: 'run as root or choose another place with --socket',
  EROFS: 'choose a writable place with --socket',
  EADDRINUSE: 'another agent was faster; join it with wattfeed top',
};

const complaintOfListenCode = (path: string, code: string): Complaint => ({
  what: `listen ${path}`,
  cause: code,
  remedy: remedyByCode[code] ?? 'choose another place with --socket',
});

export const complaintOfListen = (path: string, error: unknown): Complaint =>
  complaintOfListenCode(path, codeOf(error, String(error)));

type Occupant =
  | { readonly _tag: 'Nobody' }
  | { readonly _tag: 'Dead' }
  | { readonly _tag: 'Live'; readonly pid: number | undefined }
  | { readonly _tag: 'NotASocket' };

/** Connects to see whether somebody accepts, and reads the pid from the greeting. */
const probe = async (path: string): Promise<Occupant> =>
  new Promise((resolve) => {
    const socket = connect(path);
    const split = lineSplitter(MAX_REQUEST_BYTES);
    let occupant: Occupant = { _tag: 'Live', pid: undefined };
    const timer = setTimeout(() => socket.destroy(), PROBE_MILLIS);
    socket.on('error', (error) => {
      if (codeOf(error) === 'ECONNREFUSED') occupant = { _tag: 'Dead' };
      if (codeOf(error) === 'ENOENT') occupant = { _tag: 'Nobody' };
    });
    socket.on('data', (chunk) => {
      const [line] = split(chunk).lines;
      if (line === undefined) return;
      const { data } = messageSchema.safeParse(parseJson(line));
      if (data?.type === 'hello') occupant = { _tag: 'Live', pid: data.agent.pid };
      socket.destroy();
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(occupant);
    });
  });

const occupantOf = async (path: string): Promise<Occupant> => {
  try {
    const status = await lstat(path);
    return status.isSocket() ? await probe(path) : { _tag: 'NotASocket' };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { _tag: 'Nobody' };
    throw error;
  }
};

const alreadyServed = (path: string, pid: number | undefined): Complaint => ({
  what: `listen ${path}`,
  cause: `an agent${pid === undefined ? '' : ` (pid ${pid})`} already serves there`,
  remedy: 'join it with wattfeed top, or choose another place with --socket',
});

/** Makes the directory, removes what a dead agent left. Left if somebody lives there. */
export const claimSocketPath =
  (path: string): TE.TaskEither<Complaint, void> =>
  async () => {
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
      const cause = `longer than ${MAX_PATH_BYTES} bytes, the most a unix socket can have`;
      return E.left({ what: `listen ${path}`, cause, remedy: 'choose a shorter --socket' });
    }
    try {
      const made = makeDirectory(dirname(path), DIRECTORY_MODE);
      if (E.isLeft(made)) return E.left(complaintOfListenCode(path, made.left.code));
      const occupant = await occupantOf(path);
      if (occupant._tag === 'Live') return E.left(alreadyServed(path, occupant.pid));
      if (occupant._tag === 'NotASocket') {
        const remedy = 'remove it or choose another place with --socket';
        return E.left({ what: `listen ${path}`, cause: 'a file that is no socket', remedy });
      }
      if (occupant._tag === 'Dead') await unlink(path);
      return E.right(undefined);
    } catch (error) {
      return E.left(complaintOfListen(path, error));
    }
  };

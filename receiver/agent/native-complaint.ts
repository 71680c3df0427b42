// SPDX-License-Identifier: Apache-2.0
/** Turns a failed operation of the addon into one line with the remedy. */
import type { KernelFeature, NativeError } from '../activity/port.js';
import type { Complaint } from '../model/errors.js';

/** Remedies by what the probe calls a feature; the first one missing explains a failed load best. */
const FEATURE_REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /btf/i,
    'use a kernel built with CONFIG_DEBUG_INFO_BTF=y (every distribution kernel since 2021)',
  ],
  [/cap|privilege|permission/i, 'run as root, or give it CAP_BPF and CAP_PERFMON'],
  [/bpffs/i, 'mount it: mount -t bpf bpf /sys/fs/bpf'],
];

const remedyOfFeature = ({ name }: KernelFeature): string =>
  FEATURE_REMEDIES.find(([pattern]) => pattern.test(name))?.[1] ??
  'use a newer kernel; wattfeed check says what is missing';

const REMEDIES: Readonly<Record<string, string>> = {
  EPERM:
    'run as root, or give it CAP_BPF and CAP_PERFMON; in a container also seccomp must allow bpf',
  EACCES: 'run as root, or give it CAP_BPF and CAP_PERFMON',
  ENOMEM: 'lower accounting.max_tasks',
};

const RAISE_NOFILE = 'raise the limit: ulimit -n, or LimitNOFILE= of the systemd unit';

const lastLine = (text: string): string => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1)?.trim() ?? '';
};

/** What the accounting does without; their want never is why it failed. */
const OPTIONAL: ReadonlySet<string> = new Set(['perf_events', 'cpu_times']);

/** `features`: what `probeFeatures` said after the failure. */
export const complaintOfNative = (
  { operation, code, detail }: NativeError,
  features: readonly KernelFeature[],
): Complaint => {
  // Checked first: with no descriptor left, every probe fails too.
  if (code === 'EMFILE' || features.some(({ detail: why }) => /too many open files/i.test(why)))
    return { what: operation, cause: 'EMFILE: too many open files', remedy: RAISE_NOFILE };
  const missing = features.find(({ name, isAvailable }) => !isAvailable && !OPTIONAL.has(name));
  if (missing !== undefined)
    return {
      what: operation,
      cause: `${missing.name} is missing (${missing.detail === '' ? code : missing.detail})`,
      remedy: remedyOfFeature(missing),
    };
  const tail = lastLine(detail);
  return {
    what: operation,
    cause: tail === '' ? code : `${code}: ${tail}`,
    remedy: REMEDIES[code] ?? 'see wattfeed check',
  };
};

/** The lock's errors: somebody measures already, or the directory cannot be had. */
export const complaintOfLock = ({ code, detail }: NativeError, lockPath: string): Complaint =>
  code === 'EWOULDBLOCK' || code === 'EAGAIN'
    ? {
        what: `lock ${lockPath}`,
        cause: `another wattfeed measures on this host already (pid ${detail === '' ? 'unknown' : detail})`,
        remedy:
          'join it if it is wattfeed run (wattfeed top, with --socket if it has its own), or stop it first',
      }
    : {
        what: `lock ${lockPath}`,
        cause: detail === '' ? code : `${code}: ${detail}`,
        remedy:
          code === 'EACCES' || code === 'EPERM'
            ? 'run as root'
            : 'give agent.pin_directory a directory on a mounted bpffs',
      };

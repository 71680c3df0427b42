// SPDX-License-Identifier: Apache-2.0
/** Findings about the kernel and the privileges. Pure. */
import type { KernelFeature } from '../activity/port.js';
import type { CheckEnvironment } from './environment.js';
import { capabilityOf, featureState, missingCapabilities } from './feature-state.js';
import type { Finding, FindingLevel } from './result.js';

interface FeatureAdvice {
  readonly level: FindingLevel;
  readonly meaning: string;
  readonly remedy: string;
}

const OLD_KERNEL: FeatureAdvice = {
  level: 'blocking',
  meaning: 'the accounting program cannot run on this kernel',
  remedy: 'use Linux 5.15 or newer, or an enterprise kernel with these BPF features',
};

/** By the names of the addon's probe. */
const ADVICE: Readonly<Record<string, FeatureAdvice>> = {
  cap_bpf: {
    level: 'blocking',
    meaning: 'BPF programs cannot be loaded',
    remedy: 'run as root, or give CAP_BPF and CAP_PERFMON (systemd: AmbientCapabilities=)',
  },
  cap_perfmon: {
    level: 'blocking',
    meaning: 'tracing programs cannot be loaded and perf events cannot be opened',
    remedy: 'run as root, or give CAP_BPF and CAP_PERFMON (systemd: AmbientCapabilities=)',
  },
  initial_pid_namespace: {
    level: 'blocking',
    meaning: 'processes outside this container cannot be seen or named',
    remedy: "share the host's pid namespace: --pid=host, or hostPID: true in Kubernetes",
  },
  btf: {
    level: 'blocking',
    meaning: 'the accounting program cannot be fitted to this kernel',
    remedy: 'use a kernel built with CONFIG_DEBUG_INFO_BTF=y',
  },
  bpffs: {
    level: 'blocking',
    meaning: 'maps cannot be pinned, and a second measurer cannot be kept out',
    remedy: 'mount -t bpf bpf /sys/fs/bpf',
  },
  perf_events: {
    level: 'limited',
    meaning: 'the perf energy PMUs and hardware counters cannot be read; other sources can',
    remedy: 'run as root or give CAP_PERFMON; seccomp must allow perf_event_open',
  },
  cpu_times: {
    level: 'note',
    meaning: 'interrupt and steal time come from /proc/stat, in ticks of 10 ms',
    remedy: 'use a kernel built with CONFIG_KALLSYMS_ALL=y for nanoseconds',
  },
};

/** With both capabilities held, so by seccomp or a security module: it says nothing about the kernel. */
const FORBIDDEN: FeatureAdvice = {
  level: 'blocking',
  meaning: 'something between this process and the kernel forbids BPF',
  remedy: 'in a container let seccomp and AppArmor or SELinux allow bpf, or run it privileged',
};

const missingFinding = (feature: KernelFeature): Finding => {
  const { name, code, detail } = feature;
  const because = detail === '' ? '' : `: ${detail}`;
  const capability = capabilityOf(feature);
  return {
    id: `kernel-${name.replaceAll('_', '-')}`,
    what:
      capability === undefined
        ? `kernel feature ${name} is missing${because}`
        : `${capability} is missing${because}`,
    ...(ADVICE[name] ?? (code === 'EPERM' ? FORBIDDEN : OLD_KERNEL)),
  };
};

/** One for all that could not be tried. */
const unprobedFindings = (features: readonly KernelFeature[]): readonly Finding[] => {
  const names = features
    .filter((feature) => featureState(feature, features) === 'not-probed')
    .map(({ name }) => name);
  if (names.length === 0) return [];
  const capabilities = missingCapabilities(features).join(' and ');
  return [
    {
      id: 'kernel-not-probed',
      level: 'note',
      what: `${names.join(', ')}: cannot be probed without ${capabilities}`,
      meaning: 'whether this kernel has them is not known yet',
      remedy: `run wattfeed check again as root, or with ${capabilities}`,
    },
  ];
};

const featureFindings = (features: readonly KernelFeature[]): readonly Finding[] => [
  ...features
    .filter((feature) => featureState(feature, features) === 'missing')
    .map(missingFinding),
  ...unprobedFindings(features),
];

/** What the addon could not be asked, or asks nothing about. */
const environmentFindings = (
  environment: CheckEnvironment,
  features: readonly KernelFeature[],
): readonly Finding[] => {
  const findings: Finding[] = [];
  const isProbed = (name: string): boolean =>
    features.some(
      (feature) => feature.name === name && featureState(feature, features) !== 'not-probed',
    );
  if (features.length === 0)
    findings.push({
      id: 'addon-not-loaded',
      level: 'blocking',
      what: 'the native addon is not loaded, kernel features were not probed',
      meaning: 'nothing can be measured',
      remedy: 'build it: npm start does so',
    });
  if (environment.lockdown === 'confidentiality')
    findings.push({
      id: 'lockdown-confidentiality',
      level: 'blocking',
      what: 'kernel lockdown is in confidentiality mode',
      meaning: 'BPF may not read kernel memory, so tasks cannot be accounted',
      remedy: 'boot with lockdown=integrity or without it',
    });
  const add = (name: string, what: string): void => {
    const advice = ADVICE[name];
    if (advice !== undefined && !isProbed(name))
      findings.push({ id: `kernel-${name.replaceAll('_', '-')}`, what, ...advice });
  };
  if (!environment.hasBtf) add('btf', 'the kernel offers no BTF');
  if (!environment.hasBpffs) add('bpffs', 'no bpffs is mounted');
  if (environment.isInitialPidNamespace === false)
    add('initial_pid_namespace', 'this is not the initial pid namespace');
  return findings;
};

/** What the addon found missing is told already. */
const isToldMissing = (features: readonly KernelFeature[]): boolean =>
  features.some(({ name, isAvailable }) => name === 'perf_events' && !isAvailable);

/** Root passes; without CAP_PERFMON the sysctl decides what perf may do. */
const paranoidFindings = ({
  perfEventParanoid,
  capabilities,
}: CheckEnvironment): readonly Finding[] => {
  const isCapable = capabilities?.perfmon === true || capabilities?.sysAdmin === true;
  if (perfEventParanoid === undefined || perfEventParanoid <= 0 || isCapable) return [];
  return [
    {
      id: 'perf-paranoid',
      level: 'limited',
      what: `perf_event_paranoid is ${String(perfEventParanoid)} and CAP_PERFMON is missing`,
      meaning: 'the perf energy PMUs cannot be opened; powercap is tried instead',
      remedy: 'give CAP_PERFMON, or sysctl kernel.perf_event_paranoid=0',
    },
  ];
};

export const kernelFindings = (
  features: readonly KernelFeature[],
  environment: CheckEnvironment,
): readonly Finding[] => [
  ...featureFindings(features),
  ...environmentFindings(environment, features),
  ...(isToldMissing(features) ? [] : paranoidFindings(environment)),
];

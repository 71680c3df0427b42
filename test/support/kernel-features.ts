// SPDX-License-Identifier: Apache-2.0
/** What the addon probes, in its order. test/native holds this list against the addon itself. */
export const KERNEL_FEATURES = [
  'cap_bpf',
  'cap_perfmon',
  'initial_pid_namespace',
  'btf',
  'mmapable_array',
  'tp_btf',
  'task_storage',
  'task_iterator',
  'raw_tp_test_run',
  'bpffs',
  'perf_events',
  'cpu_times',
] as const;

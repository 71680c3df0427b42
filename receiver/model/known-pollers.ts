// SPDX-License-Identifier: Apache-2.0
/** `*` stands for any text. Matched against the names of process and thread, and the file with the hottest code. */
export const DEFAULT_POLLERS: readonly string[] = [
  'dpdk-*', // DPDK: the main thread of its programs
  'lcore-worker-*',
  'rte-worker-*',
  'eal-*',
  'librte_*', // a driver of it in any program
  'reactor_*', // SPDK
  'spdk_*',
  'libspdk*',
  'vpp_main',
  'vpp_wk_*',
  'pmd*', // Open vSwitch
  'iou-sqp-*', // io_uring with SQPOLL: the kernel's own name
  'CPU ?*/KVM', // QEMU, and what runs in its guest
  'libgomp.so*', // OpenMP with active waiting
  'libiomp5.so*',
  'libomp.so*',
  'libmpi*.so*', // MPI and what makes progress for it
  'libopen-pal.so*',
  'libucp.so*',
  'libuct*.so*',
  'libpsm2.so*',
  'libfabric.so*',
  'libcuda.so*', // a stream's synchronisation
];

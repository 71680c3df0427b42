// SPDX-License-Identifier: Apache-2.0
// The smallest programs and maps that need one kernel feature each. Each probe leaves nothing.
#ifndef WATTFEED_PROBE_PROGRAMS_HH_
#define WATTFEED_PROBE_PROGRAMS_HH_

#include "result.hh"

namespace wattfeed {

Status ProbeBtf();            // the kernel describes its types
Status ProbeMmapableArray();  // an array map can be mapped into memory
Status ProbeTpBtf();          // a typed tracepoint program loads and attaches
Status ProbeTaskStorage();    // a tracing program may use task storage
Status ProbeTaskIterator();   // a task iterator loads and can be opened
Status ProbeRawTpTestRun();   // an unattached program can be run on a chosen CPU
Status ProbeBpffs();          // a map can be pinned under /sys/fs/bpf

// Not needed, but used where it is there: programs may read the kernel's irq and steal times. BTF
// may describe the variable although its address is not given out (no CONFIG_KALLSYMS_ALL).
Status ProbeCpuTimes();

// CONFIG_IRQ_TIME_ACCOUNTING: interrupts have a clock of their own and are not in the tasks' time.
// Told by the struct that only exists with it.
bool KeepsInterruptTime();

// The kernel has the tracepoint of a governor's frequency change, with its type.
bool KnowsFrequencyEvent();

}  // namespace wattfeed

#endif  // WATTFEED_PROBE_PROGRAMS_HH_

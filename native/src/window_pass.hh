// SPDX-License-Identifier: Apache-2.0
// Closes one window of a session: flush, read energy, scan, and lay the records out.
#ifndef WATTFEED_WINDOW_PASS_HH_
#define WATTFEED_WINDOW_PASS_HH_

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu_flusher.hh"
#include "cpu_table.hh"
#include "early_pass.hh"
#include "energy_reader.hh"
#include "online_cpus.hh"
#include "overflow_table.hh"
#include "seed_backoff.hh"
#include "session.hh"
#include "slot_scanner.hh"
#include "window_thread.hh"

namespace wattfeed {

class WindowPass final : public WindowTaker {
 public:
  WindowPass(Session* session, std::vector<EnergySourceSpec> sources);

  void TakeWindow(const WindowRequest& request, WindowBuffer& out) override;
  bool IsRunningLow(uint64_t now_ns) override;
  uint64_t LookEveryNs() override;

  // False: there was no memory for the table's snapshots.
  bool has_memory() const { return scanner_.has_memory(); }

  // Detaches the programs, then takes everything that is left (WINDOW_FINAL). The sums of all
  // windows then equal the kernel's totals exactly.
  void TakeFinalWindow(WindowBuffer& out);

 private:
  // What was collected for one window; kept to reuse the memory.
  struct Rows {
    std::vector<window_cpu> cpus;
    std::vector<window_source> sources;
    std::vector<window_overflow> overflows;
    std::vector<window_task> tasks;
  };

  window_header BeginHeader(const WindowRequest& request);
  void EndFlush(window_header& header);
  CpuTotals ReadTables(const std::vector<bool>& online);
  void RenewCounters(const std::vector<bool>& online);
  bool SeedAgain(uint64_t now_ns, uint64_t storage_misses);
  void Write(window_header header, WindowBuffer& out);

  Session* session_;
  CpuFlusher flusher_;
  OnlineCpus online_cpus_;
  EnergyReader energy_;
  CpuTable cpu_table_;
  OverflowTable overflow_table_;
  SlotScanner scanner_;
  EarlyPass early_;
  SeedBackoff seed_backoff_;
  uint64_t index_ = 0;
  uint64_t previous_end_ns_;
  std::vector<bool> was_online_;
  uint64_t previous_cpu_ns_ = 0;  // the window thread's CPU time at the last header
  bool may_have_late_overflow_ = false;
  Rows rows_;
};

}  // namespace wattfeed

#endif  // WATTFEED_WINDOW_PASS_HH_

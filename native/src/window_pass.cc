// SPDX-License-Identifier: Apache-2.0
#include "window_pass.hh"

#include "clocks.hh"

namespace wattfeed {

namespace {

// What receiver/spin/candidates.ts may want to see soon: who runs for its least share in one CPU
// domain. Of hundreds of busy threads none does.
bool IsBusy(const window_task& row, uint64_t span_ns) {
  constexpr uint64_t kStormSleepNs = 500'000;
  constexpr uint64_t kLeastRunPart = 50;
  if (kLeastRunPart * row.runtime_ns < span_ns) return false;
  return 2 * (row.runtime_ns + row.queue_wait_ns) >= span_ns ||
         row.voluntary_switches * kStormSleepNs >= span_ns;
}

}  // namespace

WindowPass::WindowPass(Session* session, std::vector<EnergySourceSpec> sources)
    : session_(session),
      flusher_(session->flusher()),
      online_cpus_(session->cpus().size()),
      energy_(std::move(sources)),
      cpu_table_(session->cpus(), session->cpu_domains()),
      overflow_table_(session->overflow_fd()),
      scanner_(session->slot_table()),
      previous_end_ns_(session->attached_ns()),
      was_online_(online_cpus_.At(MonotonicNs())) {}

void WindowPass::TakeWindow(const WindowRequest& request, WindowBuffer& out) {
  const std::vector<bool>& online = online_cpus_.At(MonotonicNs());
  RenewCounters(online);
  session_->frequencies().Refresh();  // before the flush: it weighs what ran with the newest
  window_header header = BeginHeader(request);
  header.flushed_cpus = flusher_.FlushBusy(online);
  EndFlush(header);
  // A failure leaves the CPU times as they were: this window's irq and steal are then 0 and the
  // next window's hold both.
  static_cast<void>(flusher_.CopyCpuTimes().ok());
  energy_.AppendRows(rows_.sources);
  header.energy_end_ns = MonotonicNs();
  const uint32_t returned = scanner_.ScanTouched(rows_.tasks);
  header.scan_end_ns = MonotonicNs();
  const CpuTotals totals = ReadTables(online);
  session_->package_shares().Refresh(rows_.cpus, header.flush_end_ns - header.start_ns);
  if (SeedAgain(header.flush_end_ns, totals.storage_misses)) header.flags |= WINDOW_RESEEDED;
  early_.OnPass(header.flush_end_ns, returned);
  Write(header, out);
}

void WindowPass::TakeFinalWindow(WindowBuffer& out) {
  previous_cpu_ns_ = ClockNs(CLOCK_THREAD_CPUTIME_ID);  // another thread's clock than before
  const std::vector<bool>& online = online_cpus_.At(MonotonicNs());
  window_header header = BeginHeader({.due_ns = MonotonicNs(), .flags = WINDOW_FINAL});
  flusher_.FlushBusy(online);
  session_->Detach();
  // Interrupts each CPU behind any program that still ran there, and charges the moments since the
  // detach. Nothing writes the tables after this.
  header.flushed_cpus = flusher_.FlushAll(online);
  EndFlush(header);
  static_cast<void>(flusher_.CopyCpuTimes().ok());
  energy_.AppendRows(rows_.sources);
  header.energy_end_ns = MonotonicNs();
  scanner_.ScanAll(rows_.tasks);
  may_have_late_overflow_ = true;
  header.scan_end_ns = MonotonicNs();
  ReadTables(online);
  Write(header, out);
}

window_header WindowPass::BeginHeader(const WindowRequest& request) {
  window_header header{};
  header.index = ++index_;
  header.start_ns = previous_end_ns_;
  header.due_ns = request.due_ns;
  header.flags = request.flags;
  header.flush_start_ns = MonotonicNs();
  return header;
}

void WindowPass::EndFlush(window_header& header) {
  header.flush_end_ns = MonotonicNs();
  header.boottime_offset_ns = ClockNs(CLOCK_BOOTTIME) - header.flush_end_ns;
  header.realtime_ns = ClockNs(CLOCK_REALTIME);
  previous_end_ns_ = header.flush_end_ns;
}

// After the scan: a CPU's sum then holds at least what was read from the slots, so that the time
// which belongs to no slot is never negative.
CpuTotals WindowPass::ReadTables(const std::vector<bool>& online) {
  const CpuTotals totals = cpu_table_.AppendRows(online, rows_.cpus);
  // The kernel adds to the CPU's sum first: what came between the two is met a window later.
  const bool has_overflow = totals.overflow_ns > 0;
  if (has_overflow || may_have_late_overflow_) overflow_table_.AppendRows(rows_.overflows);
  may_have_late_overflow_ = has_overflow;
  return totals;
}

// A CPU that was offline has lost its events.
void WindowPass::RenewCounters(const std::vector<bool>& online) {
  for (uint32_t cpu = 0; cpu < online.size(); cpu++) {
    if (online[cpu] && !was_online_[cpu]) session_->counters().Reinstall(cpu, flusher_);
  }
  was_online_ = online;
}

bool WindowPass::SeedAgain(uint64_t now_ns, uint64_t storage_misses) {
  return seed_backoff_.ShouldSeed(now_ns, storage_misses) && session_->Seed().ok();
}

void WindowPass::Write(window_header header, WindowBuffer& out) {
  header.cpu_count = static_cast<uint32_t>(rows_.cpus.size());
  header.source_count = static_cast<uint32_t>(rows_.sources.size());
  header.overflow_count = static_cast<uint32_t>(rows_.overflows.size());
  header.task_count = static_cast<uint32_t>(rows_.tasks.size());
  header.slots_used = session_->ring().used_count();
  header.slots_limit = session_->ring().limit();
  out.BeginWindow();
  out.Append(rows_.cpus);
  out.Append(rows_.sources);
  out.Append(rows_.overflows);
  out.Append(rows_.tasks);
  const uint64_t span_ns = header.flush_end_ns - header.start_ns;
  for (const window_task& row : rows_.tasks) {
    if ((row.flags & SLOT_FLAG_KTHREAD) == 0 && IsBusy(row, span_ns)) out.MarkBusy();
  }
  rows_.cpus.clear();
  rows_.sources.clear();
  rows_.overflows.clear();
  rows_.tasks.clear();
  // Everything the thread did since the last header, sleeping and handing over included.
  const uint64_t cpu_ns = ClockNs(CLOCK_THREAD_CPUTIME_ID);
  header.thread_cpu_ns = cpu_ns - previous_cpu_ns_;
  previous_cpu_ns_ = cpu_ns;
  out.EndWindow(header);
}

bool WindowPass::IsRunningLow(uint64_t now_ns) {
  const FreeRing ring = session_->ring();
  return early_.IsDue(now_ns, ring.free_count(), ring.limit());
}

uint64_t WindowPass::LookEveryNs() {
  const FreeRing ring = session_->ring();
  return EarlyPass::LookEveryNs(ring.free_count(), ring.limit());
}

}  // namespace wattfeed

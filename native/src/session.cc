// SPDX-License-Identifier: Apache-2.0
#include "session.hh"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "allocator.hh"
#include "cgroup_subsystem.hh"
#include "clocks.hh"
#include "libbpf_log.hh"
#include "online_cpus.hh"
#include "power_feed.h"
#include "probe_programs.hh"
#include "slice_math.hh"
#include "task_iterator.hh"

enum records_limit : unsigned;  // the skeleton names it, only the object's BTF defines it
#include "wattfeed.skel.h"

namespace wattfeed {

namespace {

// Every CPU has events to count with: no slice is expected to need its CPU's frequency.
bool CountsEverywhere(const CounterSpecs& specs) {
  return !specs.empty() &&
         std::none_of(specs.begin(), specs.end(), [](const auto& cpu) { return cpu.empty(); });
}

}  // namespace

void Session::SkeletonDeleter::operator()(wattfeed_bpf* skeleton) const {
  wattfeed_bpf__destroy(skeleton);
}

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Session::~Session() { Detach(); }

Result<std::unique_ptr<Session>> Session::Open(SessionOptions options) {
  std::unique_ptr<Session> self(new Session(std::move(options)));
  if (self->options_.bpf_stats) {
    self->stats_fd_.Reset(bpf_enable_stats(BPF_STATS_RUN_TIME));
    if (!self->stats_fd_.is_open()) return ErrorFromErrno("enable bpf run time statistics");
  }
  using Step = Status (Session::*)();
  for (const Step step : {&Session::Load, &Session::MapTables, &Session::AttachAll}) {
    if (Status status = (self.get()->*step)(); !status.ok()) return std::move(status.error());
  }
  ReturnFreedMemory();  // types of the whole kernel were parsed: 4 MiB of small blocks
  return self;
}

Status Session::Load() {
  const LibbpfLog log;
  skeleton_.reset(wattfeed_bpf__open());
  if (!skeleton_) return LibbpfError("open accounting", log);
  if (Status configured = Configure(); !configured.ok()) return configured;
  if (Status resized = ResizeMaps(); !resized.ok()) return resized;
  if (Status taken = TakeFeed(); !taken.ok()) return taken;
  const bool has_cpu_times = ProbeCpuTimes().ok();
  bpf_program__set_autoload(skeleton_->progs.wf_cpu_times, has_cpu_times);
  const bool has_frequency_event = !CountsEverywhere(options_.counters) && KnowsFrequencyEvent();
  bpf_program__set_autoload(skeleton_->progs.wf_cpu_frequency, has_frequency_event);
  if (wattfeed_bpf__load(skeleton_.get()) != 0) return LibbpfError("load accounting", log);
  flush_fd_ = bpf_program__fd(skeleton_->progs.wf_flush);
  cpu_times_fd_ = has_cpu_times ? bpf_program__fd(skeleton_->progs.wf_cpu_times) : -1;
  return Done{};
}

// The entries of tasks are written into the feed's pinned map, which the publisher has made and
// checked. Without a feed neither the map nor the code that would write it is loaded.
Status Session::TakeFeed() {
  bpf_map* tasks = skeleton_->maps.feed_tasks;
  skeleton_->rodata->has_feed = !options_.power_feed_directory.empty();
  skeleton_->rodata->feed_dram_line_nj = options_.dram_line_nj;
  if (options_.power_feed_directory.empty()) {
    if (bpf_map__set_autocreate(tasks, false) != 0) return ErrorFromErrno("leave out feed_tasks");
    return Done{};
  }
  const std::string path = options_.power_feed_directory + "/task";
  const UniqueFd fd(bpf_obj_get(path.c_str()));
  if (!fd.is_open()) return ErrorFromErrno("open " + path);
  if (bpf_map__reuse_fd(tasks, fd.get()) != 0) return ErrorFromErrno("use " + path);
  if (bpf_map__value_size(tasks) != sizeof(power_feed_task))
    return Error{"use " + path, EPROTO, "not a map of this version"};
  return Done{};
}

Status Session::Configure() {
  auto* config = skeleton_->rodata;
  if (config->records_abi != RECORDS_ABI)
    return Error{"check records abi", EPROTO,
                 "programs have " + std::to_string(config->records_abi) + ", addon has " +
                     std::to_string(RECORDS_ABI) + "; rebuild both (npm run build)"};
  const int possible = libbpf_num_possible_cpus();
  if (possible < 0 || options_.cpu_domains.size() != static_cast<size_t>(possible) ||
      options_.smt_siblings.size() != static_cast<size_t>(possible) || possible > RECORDS_CPUS_MAX)
    return Error{"configure cpus", EINVAL,
                 "the kernel has " + std::to_string(possible) + " possible cpus, the tables " +
                     std::to_string(options_.cpu_domains.size()) + " and " +
                     std::to_string(options_.smt_siblings.size()) + " entries, of at most " +
                     std::to_string(RECORDS_CPUS_MAX)};
  auto subsystem = FindCgroupSubsystem(options_.cgroup_hierarchy);
  if (!subsystem.ok()) return subsystem.error();

  config->cgroup_subsys_id = subsystem.value();
  ConfigureCpus();
  ConfigureModel();
  return Done{};
}

void Session::ConfigureCpus() {
  auto* config = skeleton_->rodata;
  config->slot_mask = options_.max_tasks - 1;
  std::copy(options_.cpu_domains.begin(), options_.cpu_domains.end(), config->cpu_domain_of);
  const auto highest = std::max_element(options_.cpu_domains.begin(), options_.cpu_domains.end());
  config->cpu_domain_count = *highest + 1u;
  std::fill(std::begin(config->smt_sibling_of), std::end(config->smt_sibling_of), int16_t{-1});
  std::copy(options_.smt_siblings.begin(), options_.smt_siblings.end(), config->smt_sibling_of);
  config->has_smt = std::any_of(options_.smt_siblings.begin(), options_.smt_siblings.end(),
                                [](int16_t sibling) { return sibling >= 0; });
  config->has_irq_time = KeepsInterruptTime();
}

void Session::ConfigureModel() {
  auto* config = skeleton_->rodata;
  options_.cpu_packages.resize(options_.cpu_domains.size());
  options_.counters.resize(options_.cpu_domains.size());
  const uint32_t kinds = KindsOf(options_.counters);
  const bool counts_instructions = (kinds & 1u << COUNTER_INSTRUCTIONS) != 0;
  config->has_model = true;
  config->counter_kinds = kinds;
  config->smt_loss_q16 =
      kinds != 0 && !counts_instructions ? SMT_LOSS_CYCLES_ONLY_Q16 : SMT_LOSS_Q16;
  config->package_on = ChoosePackageOn(options_.cpu_packages);
  std::copy(options_.cpu_packages.begin(), options_.cpu_packages.end(), config->package_of);
}

Status Session::ResizeMaps() {
  const auto& maps = skeleton_->maps;
  const LibbpfLog log;
  const std::pair<bpf_map*, uint32_t> sizes[] = {{maps.slots, options_.max_tasks},
                                                 {maps.touched, options_.max_tasks / 64},
                                                 {maps.free_ring, options_.max_tasks}};
  const uint32_t kinds = KindsOf(options_.counters);
  const auto cpus = static_cast<uint32_t>(options_.cpu_domains.size());
  bpf_map* const events[] = {maps.cycles_events, maps.instructions_events, maps.llc_misses_events,
                             maps.vector_ops_events, maps.vector512_ops_events};
  for (const auto& [map, entries] : sizes) {
    if (bpf_map__set_max_entries(map, entries) != 0)
      return LibbpfError(std::string("resize ") + bpf_map__name(map), log);
  }
  for (size_t kind = 0; kind < std::size(events); kind++) {
    // A map of a kind that nobody counts stays at one entry.
    if ((kinds & 1u << kind) == 0) continue;
    if (bpf_map__set_max_entries(events[kind], cpus) != 0)
      return LibbpfError(std::string("resize ") + bpf_map__name(events[kind]), log);
  }
  return Done{};
}

Status Session::MapTables() {
  const auto& maps = skeleton_->maps;
  const auto map = [](auto& table, const bpf_map* source, size_t count) -> Status {
    using Table = std::remove_reference_t<decltype(table)>;
    auto mapped = Table::Map(bpf_map__fd(source), count, bpf_map__name(source));
    if (!mapped.ok()) return mapped.error();
    table = std::move(mapped.value());
    return Done{};
  };
  if (Status done = map(slots_, maps.slots, options_.max_tasks); !done.ok()) return done;
  if (Status done = map(touched_, maps.touched, options_.max_tasks / 64); !done.ok()) return done;
  if (Status done = map(free_ring_, maps.free_ring, options_.max_tasks); !done.ok()) return done;
  if (Status done = map(cpus_, maps.cpus, bpf_map__max_entries(maps.cpus)); !done.ok()) return done;
  ring_ends_ = &skeleton_->bss->ring_ends;
  ring().Fill();
  PrepareModel();
  if (cpu_times_fd_ < 0) cpu_ticks_.emplace(KeepsInterruptTime()).CopyInto(cpus());
  return Done{};
}

// Forks, execs and exits are seen before the seed pass walks the tasks, so that no task is between
// the two; switches are seen last, when every task has its storage.
Status Session::AttachAll() {
  auto& programs = skeleton_->progs;
  auto& links = skeleton_->links;
  const LibbpfLog log;
  const auto attach = [&log](const bpf_program* program, bpf_link*& link) -> Status {
    link = std::string_view(bpf_program__section_name(program)).starts_with("iter")
               ? bpf_program__attach_iter(program, nullptr)
               : bpf_program__attach(program);
    if (link == nullptr)
      return LibbpfError(std::string("attach ") + bpf_program__name(program), log);
    return Done{};
  };
  const std::pair<const bpf_program*, bpf_link**> before_seed[] = {
      {programs.wf_task_newtask, &links.wf_task_newtask},
      {programs.wf_sched_process_exec, &links.wf_sched_process_exec},
      {programs.wf_sched_process_exit, &links.wf_sched_process_exit},
      {programs.wf_task_rename, &links.wf_task_rename},
      {programs.wf_seed, &links.wf_seed},
      {programs.wf_tag, &links.wf_tag}};
  for (const auto& [program, link] : before_seed) {
    if (Status attached = attach(program, *link); !attached.ok()) return attached;
  }
  if (bpf_program__fd(programs.wf_cpu_frequency) >= 0) {
    if (Status attached = attach(programs.wf_cpu_frequency, links.wf_cpu_frequency); !attached.ok())
      return attached;
  }
  if (Status seeded = Seed(); !seeded.ok()) return seeded;
  if (Status attached = attach(programs.wf_sched_switch, links.wf_sched_switch); !attached.ok())
    return attached;
  // A task that runs without a switch since before the attach is known to no CPU record yet.
  flusher().FlushAll(OnlineCpus(cpus().size()).At(MonotonicNs()));
  attached_ns_ = MonotonicNs();
  return flusher().CopyCpuTimes();
}

// Before the attach, so that no slice meets numbers that are not there yet.
void Session::PrepareModel() {
  const std::span<domain_model> models(skeleton_->bss->domain_models);
  options_.frequency_factors.resize(models.size());
  for (size_t domain = 0; domain < models.size(); domain++)
    WriteFactors(options_.frequency_factors[domain], models[domain]);
  for (cpu_record& cpu : cpus()) {
    cpu.on_share_q16 = Q16_ONE;
    cpu.core_scale_q16 = Q16_ONE;
    cpu.uncounted_rate_q16 = uncounted_rate(models[0].factor_q16, 0);
  }
  const auto& maps = skeleton_->maps;
  counters_ = CounterSet(options_.counters,
                         {bpf_map__fd(maps.cycles_events), bpf_map__fd(maps.instructions_events),
                          bpf_map__fd(maps.llc_misses_events), bpf_map__fd(maps.vector_ops_events),
                          bpf_map__fd(maps.vector512_ops_events)},
                         cpus());
  counters_.InstallAll(OnlineCpus(cpus().size()).At(MonotonicNs()));
  counter_faults_ = counters_.faults();
  frequencies_ = FrequencyReader(options_.frequency_files, cpus(), models, options_.cpu_domains);
  frequencies_.Refresh();
  if (skeleton_->rodata->package_on == PACKAGE_ON_MEAN)
    package_shares_ = PackageShares(options_.cpu_packages, cpus());
}

void Session::SetCoefficients(const std::vector<Coefficients>& by_domain) {
  const std::span<domain_model> models(skeleton_->bss->domain_models);
  for (size_t domain = 0; domain < std::min(models.size(), by_domain.size()); domain++)
    WriteCoefficients(by_domain[domain], models[domain]);
}

void Session::SetCoreScales(const std::vector<double>& by_cpu) {
  const std::span<cpu_record> records = cpus();
  for (size_t cpu = 0; cpu < std::min(records.size(), by_cpu.size()); cpu++)
    StoreRelease(records[cpu].core_scale_q16, __u32{ToQ16(by_cpu[cpu])});
}

int Session::overflow_fd() const { return bpf_map__fd(skeleton_->maps.overflow); }

Status Session::Seed() { return RunTaskIterator(skeleton_->links.wf_seed, "wf_seed"); }

Result<uint32_t> Session::SetTag(uint32_t tgid, uint32_t tag) {
  tag_request& request = skeleton_->bss->tag_request;
  request = tag_request{.tgid = tgid, .tag = tag, .matched = 0, .pad = 0};
  if (Status run = RunTaskIterator(skeleton_->links.wf_tag, "wf_tag"); !run.ok())
    return run.error();
  return LoadRelaxed(request.matched);
}

Result<std::vector<ProgramStats>> Session::Stats() const {
  std::vector<ProgramStats> all;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton_->obj) {
    if (bpf_program__fd(program) < 0) continue;  // not loaded
    auto stats = ReadProgramStats(bpf_program__fd(program), bpf_program__name(program));
    if (!stats.ok()) return stats.error();
    all.push_back(std::move(stats.value()));
  }
  return all;
}

void Session::Detach() {
  if (!skeleton_) return;
  auto& links = skeleton_->links;
  // Switches first: the others feed them.
  for (bpf_link** link :
       {&links.wf_sched_switch, &links.wf_task_newtask, &links.wf_sched_process_exec,
        &links.wf_sched_process_exit, &links.wf_task_rename, &links.wf_cpu_frequency,
        &links.wf_seed, &links.wf_tag}) {
    bpf_link__destroy(std::exchange(*link, nullptr));
  }
}

}  // namespace wattfeed

// SPDX-License-Identifier: Apache-2.0
#include "probe_programs.hh"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <span>
#include <string>

#include "unique_fd.hh"

namespace wattfeed {

namespace {

using Btf = std::unique_ptr<btf, decltype(&btf__free)>;

constexpr bpf_insn Load64(uint8_t to, uint8_t from, int16_t offset) {
  return {
      .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = to, .src_reg = from, .off = offset, .imm = 0};
}
constexpr bpf_insn SetImmediate(uint8_t to, int32_t value) {
  return {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = to, .src_reg = 0, .off = 0, .imm = value};
}
constexpr bpf_insn Call(int32_t helper) {
  return {.code = BPF_JMP | BPF_CALL, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = helper};
}
constexpr bpf_insn kExit{
    .code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0};
constexpr bpf_insn kReturnZero[] = {SetImmediate(BPF_REG_0, 0), kExit};

Btf KernelBtf() { return Btf(btf__load_vmlinux_btf(), &btf__free); }

std::string LastLine(std::string log) {
  while (!log.empty() && (log.back() == '\n' || log.back() == '\0')) log.pop_back();
  // the verifier closes with a line of statistics
  if (const size_t statistics = log.rfind("\nprocessed "); statistics != std::string::npos)
    log.resize(statistics);
  const size_t line = log.rfind('\n');
  return line == std::string::npos ? log : log.substr(line + 1);
}

Result<UniqueFd> LoadProgram(bpf_prog_type type, std::span<const bpf_insn> instructions,
                             bpf_attach_type attach_type = BPF_CGROUP_INET_INGRESS,
                             int attach_btf_id = 0) {
  LIBBPF_OPTS(bpf_prog_load_opts, options);
  options.expected_attach_type = attach_type;
  options.attach_btf_id = static_cast<__u32>(attach_btf_id);
  std::string log(4096, '\0');
  options.log_buf = log.data();
  options.log_size = static_cast<__u32>(log.size());
  options.log_level = 1;
  UniqueFd fd(
      bpf_prog_load(type, "wf_probe", "GPL", instructions.data(), instructions.size(), &options));
  if (fd.is_open()) return fd;
  Error error = ErrorFromErrno("load program");
  error.detail = LastLine(log.c_str());
  return error;
}

Result<UniqueFd> LoadTpBtf(const char* tracepoint, std::span<const bpf_insn> instructions) {
  const Btf kernel = KernelBtf();
  if (!kernel) return ErrorFromErrno("load kernel btf");
  const std::string type_name = std::string("btf_trace_") + tracepoint;
  const int id = btf__find_by_name_kind(kernel.get(), type_name.c_str(), BTF_KIND_TYPEDEF);
  if (id < 0) return Error{"find " + type_name, ENOENT, {}};
  return LoadProgram(BPF_PROG_TYPE_TRACING, instructions, BPF_TRACE_RAW_TP, id);
}

// Task storage wants to know the type of its values: a BTF with int (the key) and a 64-bit value.
Result<UniqueFd> CreateTaskStorage() {
  const Btf types(btf__new_empty(), &btf__free);
  if (!types) return ErrorFromErrno("create btf");
  const int key_id = btf__add_int(types.get(), "int", 4, BTF_INT_SIGNED);
  const int value_id = btf__add_int(types.get(), "unsigned long", 8, 0);
  if (key_id < 0 || value_id < 0 || btf__load_into_kernel(types.get()) != 0)
    return ErrorFromErrno("load btf");
  LIBBPF_OPTS(bpf_map_create_opts, options);
  options.map_flags = BPF_F_NO_PREALLOC;
  options.btf_fd = static_cast<__u32>(btf__fd(types.get()));
  options.btf_key_type_id = static_cast<__u32>(key_id);
  options.btf_value_type_id = static_cast<__u32>(value_id);
  UniqueFd fd(bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "wf_probe", 4, 8, 0, &options));
  if (!fd.is_open()) return ErrorFromErrno("create task storage");
  return fd;
}

Result<UniqueFd> CreateArray() {
  LIBBPF_OPTS(bpf_map_create_opts, options);
  options.map_flags = BPF_F_MMAPABLE;
  UniqueFd fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "wf_probe", 4, 8, 1, &options));
  if (!fd.is_open()) return ErrorFromErrno("create mmapable array");
  return fd;
}

}  // namespace

Status ProbeBtf() {
  if (!KernelBtf())
    return ErrorFromErrno("read /sys/kernel/btf/vmlinux", "needs CONFIG_DEBUG_INFO_BTF");
  return Done{};
}

Status ProbeMmapableArray() {
  const auto array = CreateArray();
  if (!array.ok()) return array.error();
  const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, array.value().get(), 0);
  if (memory == MAP_FAILED) return ErrorFromErrno("mmap array");
  munmap(memory, size);
  return Done{};
}

Status ProbeTpBtf() {
  const auto program = LoadTpBtf("sched_switch", kReturnZero);
  if (!program.ok()) return program.error();
  const UniqueFd attached(bpf_raw_tracepoint_open(nullptr, program.value().get()));
  if (!attached.is_open()) return ErrorFromErrno("attach sched_switch");
  return Done{};
}

Status ProbeTaskStorage() {
  const auto storage = CreateTaskStorage();
  if (!storage.ok()) return storage.error();
  const bpf_insn instructions[] = {
      Load64(BPF_REG_2, BPF_REG_1, 0),  // task_newtask's first argument: the task
      {.code = BPF_LD | BPF_DW | BPF_IMM,
       .dst_reg = BPF_REG_1,
       .src_reg = BPF_PSEUDO_MAP_FD,
       .off = 0,
       .imm = storage.value().get()},
      {.code = 0, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
      SetImmediate(BPF_REG_3, 0),
      SetImmediate(BPF_REG_4, BPF_LOCAL_STORAGE_GET_F_CREATE),
      Call(BPF_FUNC_task_storage_get),
      SetImmediate(BPF_REG_0, 0),
      kExit,
  };
  const auto program = LoadTpBtf("task_newtask", instructions);
  if (!program.ok()) return program.error();
  return Done{};
}

Status ProbeTaskIterator() {
  const Btf kernel = KernelBtf();
  if (!kernel) return ErrorFromErrno("load kernel btf");
  const int id = btf__find_by_name_kind(kernel.get(), "bpf_iter_task", BTF_KIND_FUNC);
  if (id < 0) return Error{"find bpf_iter_task", ENOENT, {}};
  const auto program = LoadProgram(BPF_PROG_TYPE_TRACING, kReturnZero, BPF_TRACE_ITER, id);
  if (!program.ok()) return program.error();
  const UniqueFd link(bpf_link_create(program.value().get(), 0, BPF_TRACE_ITER, nullptr));
  if (!link.is_open()) return ErrorFromErrno("link iterator");
  const UniqueFd iterator(bpf_iter_create(link.get()));
  if (!iterator.is_open()) return ErrorFromErrno("create iterator");
  return Done{};
}

Status ProbeRawTpTestRun() {
  const auto program = LoadProgram(BPF_PROG_TYPE_RAW_TRACEPOINT, kReturnZero);
  if (!program.ok()) return program.error();
  LIBBPF_OPTS(bpf_test_run_opts, options);
  options.flags = BPF_F_TEST_RUN_ON_CPU;
  options.cpu = static_cast<__u32>(sched_getcpu());
  if (bpf_prog_test_run_opts(program.value().get(), &options) != 0)
    return ErrorFromErrno("run program on a cpu");
  return Done{};
}

Status ProbeBpffs() {
  const auto array = CreateArray();
  if (!array.ok()) return array.error();
  const std::string path = "/sys/fs/bpf/wattfeed-probe-" + std::to_string(gettid());
  if (bpf_obj_pin(array.value().get(), path.c_str()) != 0)
    return ErrorFromErrno("pin under /sys/fs/bpf", "mount it: mount -t bpf bpf /sys/fs/bpf");
  if (unlink(path.c_str()) != 0) return ErrorFromErrno("unlink " + path);
  return Done{};
}

Status ProbeCpuTimes() {
  const Btf kernel = KernelBtf();
  if (!kernel) return ErrorFromErrno("load kernel btf");
  const int id = btf__find_by_name_kind(kernel.get(), "kernel_cpustat", BTF_KIND_VAR);
  if (id < 0) return Error{"find kernel_cpustat", ENOENT, {}};
  const bpf_insn instructions[] = {
      {.code = BPF_LD | BPF_DW | BPF_IMM,
       .dst_reg = BPF_REG_1,
       .src_reg = BPF_PSEUDO_BTF_ID,
       .off = 0,
       .imm = id},
      {.code = 0, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
      SetImmediate(BPF_REG_0, 0),
      kExit,
  };
  const auto program = LoadProgram(BPF_PROG_TYPE_RAW_TRACEPOINT, instructions);
  if (!program.ok()) return program.error();
  return Done{};
}

bool KnowsFrequencyEvent() {
  const Btf kernel = KernelBtf();
  return kernel &&
         btf__find_by_name_kind(kernel.get(), "btf_trace_cpu_frequency", BTF_KIND_TYPEDEF) >= 0;
}

bool KeepsInterruptTime() {
  const Btf kernel = KernelBtf();
  return kernel && btf__find_by_name_kind(kernel.get(), "irqtime", BTF_KIND_STRUCT) >= 0;
}

}  // namespace wattfeed

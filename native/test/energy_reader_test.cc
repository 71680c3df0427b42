// SPDX-License-Identifier: Apache-2.0
#include "energy_reader.hh"

#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "check.hh"

namespace wattfeed {
namespace {

class Folder {
 public:
  Folder() { made_ = mkdtemp(path_) != nullptr; }
  ~Folder() {
    const std::string command = std::string("rm -r ") + path_;
    if (made_ && std::system(command.c_str()) != 0) std::perror(path_);
  }
  std::string File(const char* name, const std::string& content) const {
    const std::string path = std::string(path_) + "/" + name;
    if (FILE* file = std::fopen(path.c_str(), "w")) {
      std::fwrite(content.data(), 1, content.size(), file);
      std::fclose(file);
    }
    return path;
  }
  std::string Path(const char* name) const { return std::string(path_) + "/" + name; }

 private:
  char path_[32] = "/tmp/wattfeed-energy-XXXXXX";
  bool made_ = false;
};

std::vector<window_source> Read(EnergyReader& reader) {
  std::vector<window_source> rows;
  reader.AppendRows(rows);
  return rows;
}

window_source ReadFile(const std::string& path) {
  EnergyReader reader({EnergyFileSpec{path}});
  return Read(reader).at(0);
}

std::string Text(const window_source& row) {
  return std::string(row.text, std::min<size_t>(row.text_len, sizeof(row.text)));
}

TEST_CASE(FileBytes, "EnergyReader: hands over a file's bytes as they are") {
  const Folder folder;
  const window_source row = ReadFile(folder.File("energy_uj", "262143328850\n"));
  CHECK(row.kind == WINDOW_SOURCE_FILE);
  CHECK(row.error == 0);
  CHECK(Text(row) == "262143328850\n");
  CHECK(row.before_ns > 0 && row.before_ns <= row.after_ns);
}

TEST_CASE(FileOddities, "EnergyReader: empty, over-long and binary files keep their true length") {
  const Folder folder;
  CHECK(ReadFile(folder.File("empty", "")).text_len == 0);
  const window_source longer = ReadFile(folder.File("longer", std::string(100, '7')));
  CHECK(longer.text_len == 100 && longer.text[RECORDS_SOURCE_TEXT_LEN - 1] == '7');
  CHECK(ReadFile(folder.File("huge", std::string(1 << 20, '9'))).text_len == 1 << 20);
  CHECK(Text(ReadFile(folder.File("binary", std::string("\x00\xff\x01", 3)))) ==
        std::string("\x00\xff\x01", 3));
}

TEST_CASE(FileErrors, "EnergyReader: says which error was met, per source") {
  const Folder folder;
  CHECK(ReadFile(folder.Path("none")).error == ENOENT);
  CHECK(ReadFile(folder.Path("")).error == EISDIR);
  const std::string fifo = folder.Path("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(ReadFile(fifo).error == ESPIPE);  // and does not wait for a writer
  EnergyReader reader({EnergyFileSpec{folder.Path("none")}, EnergyFileSpec{folder.File("a", "1")}});
  const auto rows = Read(reader);
  CHECK(rows[0].error == ENOENT && rows[1].error == 0);
}

TEST_CASE(FileComes,
          "EnergyReader: reads from the start each time, and finds a file that comes late") {
  const Folder folder;
  EnergyReader reader({EnergyFileSpec{folder.Path("late")}});
  CHECK(Read(reader)[0].error == ENOENT);
  folder.File("late", "1");
  CHECK(Text(Read(reader)[0]) == "1");
  folder.File("late", "22");
  CHECK(Text(Read(reader)[0]) == "22");
  REQUIRE(std::rename(folder.File("next", "333").c_str(), folder.Path("late").c_str()) == 0);
  CHECK(Text(Read(reader)[0]) == "333");
}

TEST_CASE(PerfCounts, "EnergyReader: a software clock on CPU 0 rises, with its times") {
  EnergyReader reader(
      {PerfEventSpec{.pmu_type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .cpu = 0}});
  const window_source first = Read(reader)[0];
  usleep(2000);
  const window_source second = Read(reader)[0];
  CHECK(first.kind == WINDOW_SOURCE_PERF && first.error == 0 && second.error == 0);
  CHECK(second.value > first.value);
  CHECK(second.enabled_ns > first.enabled_ns && second.running_ns > first.running_ns);
}

TEST_CASE(PerfErrors, "ProbePerfEvent: a PMU that does not exist is an error, a clock counts") {
  const auto missing = ProbePerfEvent({.pmu_type = 0x7fffffff, .config = 0, .cpu = 0}, 0);
  REQUIRE(!missing.ok());
  CHECK(missing.error().errno_value == ENOENT);
  const auto clock = ProbePerfEvent(
      {.pmu_type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .cpu = 0}, 2'000'000);
  REQUIRE(clock.ok());
  CHECK(clock.value().last - clock.value().first >= 2'000'000);
}

}  // namespace
}  // namespace wattfeed

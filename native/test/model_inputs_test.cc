// SPDX-License-Identifier: Apache-2.0
// What the window thread tells the programs: frequencies and package shares.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.hh"
#include "coefficients.hh"
#include "frequency_reader.hh"
#include "package_shares.hh"
#include "slice_math.hh"

namespace wattfeed {
namespace {

TEST_CASE(Kilohertz, "ParseKilohertz: a number and nothing else") {
  CHECK(ParseKilohertz("3500000\n") == 3'500'000 && ParseKilohertz("800000") == 800'000);
  for (const char* none : {"", "\n", "<unknown>\n", "-1\n", "12 34\n", "99999999999\n"})
    CHECK(ParseKilohertz(none) == 0);
}

// A file with that text, until the object goes.
class TextFile {
 public:
  explicit TextFile(const char* text) {
    std::snprintf(path_, sizeof(path_), "/tmp/wattfeed-frequency-XXXXXX");
    fd_.Reset(mkstemp(path_));
    Write(text);
  }
  ~TextFile() { unlink(path_); }
  void Write(const char* text) {
    const std::string_view bytes(text);
    if (ftruncate(fd_.get(), 0) != 0 ||
        pwrite(fd_.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  std::string path() const { return path_; }

 private:
  char path_[40];
  UniqueFd fd_;
};

TEST_CASE(Frequencies, "FrequencyReader: asks about CPUs that ran without counting, and no other") {
  TextFile file("2000000\n");
  std::vector<cpu_record> cpus(4);
  std::vector<domain_model> models(1);
  WriteFactors({}, models[0]);
  cpus[0].task_ns = 100;                       // ran, counts nothing
  cpus[1].task_ns = cpus[1].counted_ns = 100;  // all counted
  cpus[1].counter_kinds = 1;
  cpus[2].busy_word = 1;  // runs just now
  FrequencyReader reader({file.path(), file.path(), file.path(), file.path()}, cpus, models,
                         {0, 0, 0, 0});
  reader.Refresh();
  CHECK(cpus[0].frequency_khz == 2'000'000 && cpus[0].uncounted_rate_q16 == 2 * Q16_ONE);
  CHECK(cpus[1].frequency_khz == 0 && cpus[3].frequency_khz == 0);
  CHECK(cpus[2].frequency_khz == 2'000'000);

  file.Write("3000000\n");
  reader.Refresh();
  CHECK(cpus[0].frequency_khz == 2'000'000);  // has not run since
  CHECK(cpus[2].frequency_khz == 3'000'000);
  file.Write("<unknown>\n");
  cpus[0].task_ns = 200;
  cpus[1].task_ns = 300;  // 200 ns of it uncounted
  reader.Refresh();
  CHECK(cpus[0].frequency_khz == 2'000'000);
  file.Write("1000000\n");
  cpus[1].task_ns = 400;
  reader.Refresh();
  CHECK(cpus[1].frequency_khz == 1'000'000);
}

TEST_CASE(Method, "ChoosePackageOn: counted from two CPUs to the limit, by the largest package") {
  CHECK(ChoosePackageOn(std::vector<uint8_t>{0}) == PACKAGE_ON_MEAN);
  CHECK(ChoosePackageOn(std::vector<uint8_t>{0, 1}) == PACKAGE_ON_MEAN);
  CHECK(ChoosePackageOn(std::vector<uint8_t>{0, 0, 1}) == PACKAGE_ON_COUNTED);
  CHECK(ChoosePackageOn(std::vector<uint8_t>(kCountedPackageCpus)) == PACKAGE_ON_COUNTED);
  CHECK(ChoosePackageOn(std::vector<uint8_t>(kCountedPackageCpus + 1)) == PACKAGE_ON_MEAN);
}

TEST_CASE(Mean, "MeanShare: time with any CPU busy over their busy time, if they are independent") {
  const auto share = [](std::vector<uint64_t> busy_ns) { return MeanShare(busy_ns, 1000); };
  CHECK(share({}) == 1 && share({0, 0}) == 1 && share({1000}) == 1);
  CHECK(share({1000, 1000}) == 0.5 && share({500, 0}) == 1);
  CHECK(std::abs(share({500, 500}) - 0.75) < 1e-12);  // on for 3/4, busy for 1
  CHECK(share({2000, 2000, 2000, 2000}) == 0.25);     // a late window: never more than its length
}

TEST_CASE(Shares, "PackageShares: each package's CPUs get their own package's share") {
  std::vector<cpu_record> cpus(3);
  PackageShares shares({0, 1, 1}, cpus);
  std::vector<window_cpu> rows(3);
  for (uint32_t cpu = 0; cpu < 3; cpu++) rows[cpu].cpu = cpu;
  rows[0].busy_ns = 300;
  rows[1].busy_ns = rows[2].busy_ns = 1000;
  shares.Refresh(rows, 1000);
  CHECK(cpus[0].on_share_q16 == Q16_ONE);
  CHECK(cpus[1].on_share_q16 == Q16_ONE / 2 && cpus[2].on_share_q16 == Q16_ONE / 2);
}

}  // namespace
}  // namespace wattfeed

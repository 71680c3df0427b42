// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "check.hh"
#include "delivery.hh"
#include "directory_lock.hh"
#include "early_pass.hh"
#include "online_cpus.hh"
#include "seed_backoff.hh"
#include "window_thread.hh"

namespace wattfeed {
namespace {

constexpr uint64_t kSec = kNsPerSec;

TEST_CASE(SeedsOnce, "SeedBackoff: runs at the first miss, then not for five seconds") {
  SeedBackoff backoff;
  CHECK(!backoff.ShouldSeed(1 * kSec, 0));
  CHECK(backoff.ShouldSeed(2 * kSec, 1));
  CHECK(!backoff.ShouldSeed(3 * kSec, 1));
  CHECK(!backoff.ShouldSeed(6 * kSec, 1));
  CHECK(backoff.ShouldSeed(7 * kSec, 1));
}

TEST_CASE(SeedsLess, "SeedBackoff: waits twice as long after each pass that did not help") {
  SeedBackoff backoff;
  int runs = 0;
  for (uint64_t second = 0; second < 3600; second++) runs += backoff.ShouldSeed(second * kSec, 1);
  // 0, 5, 15, 35, 75, 155, 315, 635, then every 600 s
  CHECK(runs == 12);
}

TEST_CASE(SeedsAgain, "SeedBackoff: forgets its doubts after twelve windows without a miss") {
  SeedBackoff backoff;
  for (uint64_t second = 0; second < 100; second++) backoff.ShouldSeed(second * kSec, 1);
  for (uint64_t second = 100; second < 112; second++) backoff.ShouldSeed(second * kSec, 0);
  CHECK(backoff.ShouldSeed(112 * kSec, 1));
}

TEST_CASE(EarlyWhenLow, "EarlyPass: is due below a sixteenth, 100 ms after the last pass") {
  EarlyPass early;
  early.OnPass(kSec, 1);
  CHECK(!early.IsDue(kSec + 99 * kNsPerMsec, 10, 1024));
  CHECK(early.IsDue(kSec + 100 * kNsPerMsec, 63, 1024));
  CHECK(!early.IsDue(kSec + 100 * kNsPerMsec, 64, 1024));
}

TEST_CASE(EarlyBacksOff,
          "EarlyPass: a table full of living tasks is not scanned ten times a second") {
  EarlyPass early;
  int passes = 0;
  for (uint64_t now_ns = kSec; now_ns < 61 * kSec; now_ns += 100 * kNsPerMsec) {
    if (!early.IsDue(now_ns, 0, 1024)) continue;
    passes++;
    early.OnPass(now_ns, 0);
  }
  CHECK(passes <= 10);
  early.OnPass(100 * kSec, 5);
  CHECK(early.IsDue(100 * kSec + EarlyPass::kShortestNs, 0, 1024));
}

TEST_CASE(DueOnGrid, "NextDueNs: keeps the grid and leaves out what is past") {
  CHECK(WindowThread::NextDueNs(1000, 1010, 100) == 1100);
  CHECK(WindowThread::NextDueNs(1000, 1099, 100) == 1100);
  CHECK(WindowThread::NextDueNs(1000, 1100, 100) == 1200);
  CHECK(WindowThread::NextDueNs(1000, 5555, 100) == 5600);
}

TEST_CASE(CpuLists, "ParseCpuList: takes ranges and single CPUs, ignores what it cannot use") {
  using Bits = std::vector<bool>;
  CHECK(ParseCpuList("0-1\n", 4) == (Bits{true, true, false, false}));
  CHECK(ParseCpuList("0,2-3\n", 4) == (Bits{true, false, true, true}));
  CHECK(ParseCpuList("3", 4) == (Bits{false, false, false, true}));
  CHECK(ParseCpuList("2-9", 4) == (Bits{false, false, true, true}));
  CHECK(ParseCpuList("", 2) == (Bits{false, false}));
  CHECK(ParseCpuList("x,1-,,-3,1", 2) == (Bits{false, true}));
}

TEST_CASE(OnlineFallback, "OnlineCpus: takes all CPUs for online if it cannot read the list") {
  OnlineCpus missing(3, "/nonexistent/online");
  CHECK(missing.At(1) == (std::vector<bool>{true, true, true}));
  OnlineCpus real(2);
  CHECK(real.At(1)[0]);
}

TEST_CASE(OnlineAge, "OnlineCpus: reads the list again when the last answer is old") {
  char path[] = "/tmp/wattfeed-online-XXXXXX";
  const int fd = mkstemp(path);
  REQUIRE(fd >= 0);
  CHECK(pwrite(fd, "0-1\n", 4, 0) == 4);
  OnlineCpus online(2, path);
  CHECK(online.At(kNsPerSec)[1]);
  CHECK(pwrite(fd, "0\n\0\0", 4, 0) == 4 && ftruncate(fd, 2) == 0);
  CHECK(online.At(kNsPerSec + OnlineCpus::kFreshNs - 1)[1]);
  CHECK(!online.At(kNsPerSec + OnlineCpus::kFreshNs)[1]);
  close(fd);
  unlink(path);
}

TEST_CASE(Backlog, "BacklogShare: counts as long as it lives, once, wherever it is moved") {
  auto counter = std::make_shared<std::atomic<size_t>>(0);
  {
    BacklogShare first(counter, 10);
    BacklogShare second(std::move(first));
    BacklogShare third;
    third = std::move(second);
    CHECK(counter->load() == 10);
  }
  CHECK(counter->load() == 0);
}

TEST_CASE(Locks, "DirectoryLocks: one owner at a time, named by its pid, gone with it") {
  char directory[] = "/tmp/wattfeed-lock-XXXXXX";
  REQUIRE(mkdtemp(directory) != nullptr);
  {
    DirectoryLocks locks;
    CHECK(locks.Lock(directory).ok());
    CHECK(locks.Lock(directory).ok());
    DirectoryLocks other;
    const Status refused = other.Lock(directory);
    REQUIRE(!refused.ok());
    CHECK(refused.error().errno_value == EWOULDBLOCK);
    CHECK(refused.error().detail == std::to_string(getpid()));
  }
  DirectoryLocks next;
  CHECK(next.Lock(directory).ok());
  rmdir(directory);
  const Status missing = next.Lock(std::string(directory) + "/none");
  CHECK(!missing.ok() && missing.error().errno_value == ENOENT);
}

}  // namespace
}  // namespace wattfeed

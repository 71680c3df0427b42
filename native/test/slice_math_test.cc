// SPDX-License-Identifier: Apache-2.0
// The kernel's integer arithmetic against 128-bit products and doubles, over random slices.
#include "slice_math.hh"

#include <cmath>
#include <random>

#include "check.hh"
#include "coefficients.hh"

namespace wattfeed {
namespace {

using Wide = unsigned __int128;

constexpr int kRounds = 200'000;
constexpr uint64_t kHourNs = 3'600'000'000'000;

class Random {
 public:
  // Log-uniform: small and large numbers are equally likely.
  uint64_t Below(uint64_t limit) {
    const double exponent = std::uniform_real_distribution<>(0, std::log2(limit))(engine_);
    return static_cast<uint64_t>(std::exp2(exponent));
  }
  double Between(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(engine_);
  }

 private:
  std::mt19937_64 engine_{20'261'129};
};

struct Slice {
  uint64_t slice_ns = 0, overlap_ns = 0, cycles = 0;

  // Up to an hour at up to 8 GHz.
  static Slice Draw(Random& random) {
    Slice slice;
    slice.slice_ns = random.Below(kHourNs);
    slice.overlap_ns = random.Below(slice.slice_ns + 1);
    slice.cycles =
        static_cast<uint64_t>(static_cast<double>(slice.slice_ns) * random.Between(0.001, 8));
    return slice;
  }
};

bool IsNear(double value, double exact, double ratio, double floor) {
  return std::abs(value - exact) <= std::abs(exact) * ratio + floor;
}

TEST_CASE(MulFixed, "mul_fixed: the floor of the 128-bit product, for every factor of 32 bits") {
  Random random;
  int wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    const uint64_t value = random.Below(uint64_t{1} << 47);
    const uint64_t factor = random.Below(UINT32_MAX);
    for (const uint32_t shift : {Q16_SHIFT, Q16_SHIFT + 1, Q20_SHIFT}) {
      const Wide exact = Wide{value} * factor >> shift;
      wrong += Wide{mul_fixed(value, factor, shift)} != exact;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE(OwnCycles, "own_cycles: within 2^-16 of C (1 - loss co/dt), never more than C") {
  Random random;
  int wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    const Slice slice = Slice::Draw(random);
    const uint64_t own = own_cycles(slice.cycles, slice.overlap_ns, slice.slice_ns, SMT_LOSS_Q16);
    const double share = static_cast<double>(slice.overlap_ns) /
                         static_cast<double>(slice.slice_ns) * SMT_LOSS_Q16 / Q16_ONE;
    const double exact = static_cast<double>(slice.cycles) * (1 - share);
    wrong += own > slice.cycles || !IsNear(static_cast<double>(own), exact, 1e-4, 2);
  }
  CHECK(wrong == 0);
  CHECK(own_cycles(1000, 0, 0, SMT_LOSS_Q16) == 1000);
  CHECK(own_cycles(5'000'000'000, 1'000'000'000, 1'000'000'000, SMT_LOSS_Q16) ==
        5'000'000'000 - (Wide{5'000'000'000} * SMT_LOSS_Q16 >> 16));
}

TEST_CASE(FactorStep, "factor_step: 16 MHz of the slice's frequency, clamped to the table") {
  Random random;
  int wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    const Slice slice = Slice::Draw(random);
    const Wide mhz16 = Wide{slice.cycles} * 125 / (Wide{slice.slice_ns} * 2);
    const auto exact = static_cast<uint32_t>(mhz16 < 511 ? mhz16 : 511);
    wrong += factor_step(slice.cycles, slice.slice_ns) != exact;
  }
  CHECK(wrong == 0);
  CHECK(factor_step(1, 0) == 0);
  CHECK(factor_step_khz(3'500'000) == 218 && factor_step_khz(UINT32_MAX) == 511);
}

TEST_CASE(Uncounted, "uncounted_cycles: phi f (dt - 0.45 co), 1 GHz where nothing is known") {
  Random random;
  domain_model model{};
  WriteFactors({}, model);
  CHECK(uncounted_rate(model.factor_q16, 0) == Q16_ONE);
  int wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    const Slice slice = Slice::Draw(random);
    const auto khz = static_cast<uint32_t>(random.Between(100'000, 8'000'000));
    const uint64_t cycles =
        uncounted_cycles(slice.slice_ns, slice.overlap_ns, uncounted_rate(model.factor_q16, khz));
    const double exact =
        khz / 1e6 *
        (static_cast<double>(slice.slice_ns) - 0.45 * static_cast<double>(slice.overlap_ns));
    wrong += !IsNear(static_cast<double>(cycles), exact, 2e-4, 8);
  }
  CHECK(wrong == 0);
}

TEST_CASE(Shares,
          "cut_to_share, of_whole: counts of events that took turns, of one part of a slice") {
  Random random;
  int wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    const Slice slice = Slice::Draw(random);
    const uint32_t own = running_share(random.Below(slice.slice_ns + 1), slice.slice_ns);
    const uint32_t least = running_share(random.Below(slice.slice_ns + 1), slice.slice_ns);
    wrong += own > Q16_ONE;
    if (least < Q16_ONE / 64 || own < least) continue;  // such a slice is not trusted
    const uint64_t cut = cut_to_share(slice.cycles, own, least);
    const double exact = static_cast<double>(slice.cycles) * least / own;
    wrong += !IsNear(static_cast<double>(cut), exact, 1.0 / 1024, 2);
    const uint64_t whole = of_whole(slice.cycles >> 3, least);
    wrong += !IsNear(static_cast<double>(whole),
                     static_cast<double>(slice.cycles >> 3) * Q16_ONE / least, 1e-6, 1);
  }
  CHECK(wrong == 0);
  CHECK(running_share(0, 0) == Q16_ONE && running_share(1, 4) == Q16_ONE / 4);
  CHECK(cut_to_share(1000, Q16_ONE, Q16_ONE / 4) == 250 && cut_to_share(7, 1, Q16_ONE) == 7);
  CHECK(of_whole(250, Q16_ONE / 4) == 1000 && of_whole(7, Q16_ONE) == 7);
}

TEST_CASE(Kilohertz, "khz_of: the clock of a counted part, 0 where it cannot be told") {
  CHECK(khz_of(5'000'000'000, 1'000'000'000) == 5'000'000);
  CHECK(khz_of(3, 1) == 3'000'000 && khz_of(3, 0) == 0);
  CHECK(khz_of(uint64_t{1} << 50, 1) == 0);
}

TEST_CASE(PackageOn, "package_on_ns, core_ns: a rise within the slice, also over the wrap") {
  CHECK(package_on_ns(5, 3, 10) == 2 && package_on_ns(50, 3, 10) == 10);
  CHECK(package_on_ns(3, 5, 10) == 0);                    // the other CPU's clock was ahead
  CHECK(package_on_ns(1, PACKAGE_ON_MASK - 1, 10) == 3);  // over the wrap
  CHECK(core_ns(10, 10) == 5 && core_ns(10, 0) == 10);
}

TEST_CASE(PackageIntegral, "package_word: V is the integral of 1 / n over any walk of n") {
  Random random;
  int wrong = 0;
  for (int walk = 0; walk < 500; walk++) {
    uint64_t now_ns = random.Below(uint64_t{1} << 58);  // up to nine years after boot
    uint64_t word = 0;
    uint32_t busy = 0;
    double exact = 0;
    const uint64_t first = package_on_at(word, now_ns);
    for (int step = 0; step < 200; step++) {
      const uint32_t next = busy == 0 ? 1 : (random.Between(0, 1) < 0.5 ? busy - 1 : busy + 1);
      const uint64_t before = package_on_at(word, now_ns);
      word = package_word(word, now_ns, next);
      wrong += (word & PACKAGE_CPUS_MASK) != next;
      // V does not jump, whatever n becomes
      wrong += ((package_on_at(word, now_ns) - before) & PACKAGE_ON_MASK) != 0;
      busy = next;
      const uint64_t span_ns = random.Below(50'000'000);
      now_ns += span_ns;
      exact += busy == 0 ? 0 : static_cast<double>(span_ns) / busy;
    }
    const auto rise = static_cast<double>((package_on_at(word, now_ns) - first) & PACKAGE_ON_MASK);
    // 65536 / n is cut to an integer
    wrong += !IsNear(rise, exact, 5e-4, 400);
  }
  CHECK(wrong == 0);
}

TEST_CASE(Energy, "core_energy, shared_energy: within 1e-5 of the doubles at 8 GHz for an hour") {
  Random random;
  int wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    const Coefficients real{.cycle_nj = random.Between(0.05, 16),
                            .instruction_nj = random.Between(0.05, 16),
                            .vector_nj = random.Between(0.05, 16),
                            .llc_miss_nj = random.Between(0.5, 64),
                            .core_w = random.Between(0.05, 20),
                            .package_on_w = random.Between(0.5, 400)};
    domain_model model{};
    WriteCoefficients(real, model);
    const Slice slice = Slice::Draw(random);
    const slice_weights weights{.phi_cycles = slice.cycles,
                                .phi_instructions = slice.cycles * 4,
                                .phi_vector = slice.cycles * 2,
                                .llc_misses = slice.cycles / 10,
                                .core_ns = slice.slice_ns,
                                .package_on_ns = slice.slice_ns,
                                .is_counted = 1};
    const auto real_of = [](uint64_t value) { return static_cast<double>(value); };
    const double core = real.cycle_nj * real_of(weights.phi_cycles) +
                        real.instruction_nj * real_of(weights.phi_instructions) +
                        real.vector_nj * real_of(weights.phi_vector) +
                        real.core_w * real_of(weights.core_ns);
    const double shared = real.llc_miss_nj * real_of(weights.llc_misses) +
                          real.package_on_w * real_of(weights.package_on_ns);
    wrong += !IsNear(real_of(core_energy(&model, &weights)), core, 2e-5, 8);
    wrong += !IsNear(real_of(shared_energy(&model, &weights)), shared, 2e-5, 8);
    slice_weights uncounted = weights;
    uncounted.is_counted = 0;
    const double by_time =
        (real.cycle_nj + 1.2 * real.instruction_nj) * real_of(weights.phi_cycles) +
        real.core_w * real_of(weights.core_ns);
    wrong += !IsNear(real_of(core_energy(&model, &uncounted)), by_time, 2e-5, 8);
  }
  CHECK(wrong == 0);
}

TEST_CASE(ToFixedPoint, "ToQ20: the nearest step, and the range's ends beyond it") {
  CHECK(ToQ20(0.6) == 629'146 && ToQ16(1) == Q16_ONE);
  CHECK(ToQ20(-1) == 0 && ToQ20(std::nan("")) == 0);
  CHECK(ToQ20(1e9) == UINT32_MAX && ToQ16(1e300) == UINT32_MAX);
}

}  // namespace
}  // namespace wattfeed

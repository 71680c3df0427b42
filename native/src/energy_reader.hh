// SPDX-License-Identifier: Apache-2.0
// Reads energy sources at a window's edge: raw bytes or raw counts, and the errno. What a reading
// means is decided elsewhere.
#ifndef WATTFEED_ENERGY_READER_HH_
#define WATTFEED_ENERGY_READER_HH_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "perf_event.hh"
#include "records.hh"
#include "unique_fd.hh"

namespace wattfeed {

struct EnergyFileSpec {
  std::string path;
};
using EnergySourceSpec = std::variant<EnergyFileSpec, PerfEventSpec>;

class EnergyReader {
 public:
  // A source that cannot be opened is not an error here: each window tries again and says why not.
  explicit EnergyReader(std::vector<EnergySourceSpec> specs);

  // One row per source, in the order given.
  void AppendRows(std::vector<window_source>& rows);

 private:
  struct Source {
    EnergySourceSpec spec;
    UniqueFd fd;
  };

  static window_source Read(Source& source);

  std::vector<Source> sources_;
};

}  // namespace wattfeed

#endif  // WATTFEED_ENERGY_READER_HH_

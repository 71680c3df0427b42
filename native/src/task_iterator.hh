// SPDX-License-Identifier: Apache-2.0
// Runs an iter/task program over all tasks once.
#ifndef WATTFEED_TASK_ITERATOR_HH_
#define WATTFEED_TASK_ITERATOR_HH_

#include "result.hh"

struct bpf_link;

namespace wattfeed {

// The programs write no output; reading to the end is what runs them.
Status RunTaskIterator(const bpf_link* link, const char* name);

}  // namespace wattfeed

#endif  // WATTFEED_TASK_ITERATOR_HH_

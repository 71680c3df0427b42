// SPDX-License-Identifier: Apache-2.0
// The kernel programs' arithmetic, for those who must give it its factors or check it.
#ifndef WATTFEED_SLICE_MATH_HH_
#define WATTFEED_SLICE_MATH_HH_

#include "records.hh"

#include "../../bpf/include/slice_math.h"

#endif  // WATTFEED_SLICE_MATH_HH_

// SPDX-License-Identifier: Apache-2.0
/** Whether an addon was built from the headers that this program's layouts were generated from. Pure. */
import * as feed from './feed-layout.generated.js';
import * as records from './layout.generated.js';
import * as spin from './spin-layout.generated.js';

/** By the names of native/src/layout_sizes.hh. */
const SIZES_BYTES = {
  windowHeader: records.windowHeader.sizeBytes,
  windowCpu: records.windowCpu.sizeBytes,
  windowSource: records.windowSource.sizeBytes,
  windowOverflow: records.windowOverflow.sizeBytes,
  windowTask: records.windowTask.sizeBytes,
  spinRecord: spin.spinRecord.sizeBytes,
  powerFeedState: feed.powerFeedState.sizeBytes,
  powerFeedPackageHalf: feed.powerFeedPackageHalf.sizeBytes,
  powerFeedCpuHalf: feed.powerFeedCpuHalf.sizeBytes,
  powerFeedCgroupHalf: feed.powerFeedCgroupHalf.sizeBytes,
  powerFeedTask: feed.powerFeedTask.sizeBytes,
  feedTaskRow: feed.feedTaskRow.sizeBytes,
};

/** The first difference in words; undefined: none. `sizesBytes` is absent from an addon that is older than this check. */
export const layoutDifference = (
  sizesBytes: Readonly<Record<string, number>> | undefined,
): string | undefined => {
  if (sizesBytes === undefined) return 'it does not say its layout';
  const different = Object.entries(SIZES_BYTES).find(([name, bytes]) => sizesBytes[name] !== bytes);
  if (different === undefined) return undefined;
  const [name, bytes] = different;
  return `its ${name} has ${String(sizesBytes[name] ?? 'no')} bytes, this program's ${String(bytes)}`;
};

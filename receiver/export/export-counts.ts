// SPDX-License-Identifier: Apache-2.0
/** What became of exported points; counted by the exporter, exported by the producer. */
export class ExportCounts {
  delivered = 0n;
  dropped = 0n;
  /** Refused by the collector inside an accepted message (partial success). */
  rejected = 0n;
  rebuilds = 0n;
  collectFailures = 0n;
  readonly failures = new Map<string, bigint>();

  fail(reason: string, points: number): void {
    this.failures.set(reason, (this.failures.get(reason) ?? 0n) + 1n);
    this.dropped += BigInt(points);
  }
}

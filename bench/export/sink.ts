// SPDX-License-Identifier: Apache-2.0
/** A gRPC metrics service in a process of its own: takes everything, and tells its parent how much. */
import { gzipSync } from 'node:zlib';
import { GrpcSink } from '../../test/support/grpc-sink.js';

const isCompressed = process.env['OTEL_EXPORTER_OTLP_COMPRESSION'] === 'gzip';
const sink = await new GrpcSink().start();
let wireBytes = 0;
// What arrives is decompressed already: compressed again it is as long as it was.
sink.onRequest = (message) => {
  wireBytes += isCompressed ? gzipSync(message).length : message.length;
};
process.on('message', () => {
  process.send?.({
    requests: sink.requestBytes.length,
    bytes: wireBytes,
    largestBytes: Math.max(0, ...sink.requestBytes),
  });
  sink.requestBytes.length = 0;
  sink.metadata.length = 0;
  wireBytes = 0;
});
process.on('disconnect', () => {
  sink.stop();
  process.exit(0);
});
process.send?.({ endpoint: sink.endpoint });

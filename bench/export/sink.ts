// SPDX-License-Identifier: Apache-2.0
/** A gRPC metrics service in a process of its own: takes everything, and tells its parent how much. */
import { GrpcSink } from '../../test/support/grpc-sink.js';

const sink = await new GrpcSink().start();
process.on('message', () => {
  const bytes = sink.requestBytes.reduce((sum, one) => sum + one, 0);
  process.send?.({ requests: sink.requestBytes.length, bytes });
  sink.requestBytes.length = 0;
  sink.metadata.length = 0;
});
process.on('disconnect', () => {
  sink.stop();
  process.exit(0);
});
process.send?.({ endpoint: sink.endpoint });

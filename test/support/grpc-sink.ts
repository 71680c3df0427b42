// SPDX-License-Identifier: Apache-2.0
/** A gRPC metrics service that answers as a test tells it: for answers no healthy Collector gives. */
import {
  Server,
  ServerCredentials,
  status,
  type Metadata,
  type ServerErrorResponse,
} from '@grpc/grpc-js';

export interface SinkAnswer {
  readonly code: status;
  readonly details?: string;
  /** ExportMetricsPartialSuccess.rejected_data_points; below 128. */
  readonly rejectedPoints?: number;
}

const PATH = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';

/** ExportMetricsServiceResponse { partial_success = 1 { rejected_data_points = 1 } }, protobuf by hand. */
const encodeResponse = ({ rejectedPoints }: SinkAnswer): Buffer =>
  rejectedPoints === undefined ? Buffer.alloc(0) : Buffer.from([0x0a, 0x02, 0x08, rejectedPoints]);

export class GrpcSink {
  readonly requestBytes: number[] = [];
  readonly metadata: Metadata[] = [];
  answer: SinkAnswer = { code: status.OK };
  /** Told of each message, decompressed. */
  onRequest: (message: Buffer) => void = () => undefined;
  readonly #server = new Server({ 'grpc.max_receive_message_length': -1 });
  #port = 0;

  async start(): Promise<this> {
    const identity = (buffer: Buffer): Buffer => buffer;
    const method = {
      path: PATH,
      requestStream: false,
      responseStream: false,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    };
    this.#server.addService(
      { export: method },
      {
        export: (
          call: { request: Buffer; metadata: Metadata },
          reply: (error: Partial<ServerErrorResponse> | null, response?: Buffer) => void,
        ) => {
          this.requestBytes.push(call.request.length);
          this.onRequest(call.request);
          this.metadata.push(call.metadata);
          const { code, details } = this.answer;
          if (code === status.OK) reply(null, encodeResponse(this.answer));
          else reply({ code, details: details ?? '' });
        },
      },
    );
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
    return this;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}

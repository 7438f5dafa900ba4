import { type Server, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { until } from './until.ts';

const folder = fileURLToPath(new URL('otlp/', import.meta.url));
const REQUESTS = {
  '/v1/traces': 'opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest',
  '/v1/metrics': 'opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest',
};

function loadTypes(): protobuf.Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => folder + target;
  const place = 'opentelemetry/proto/collector';
  return root.loadSync([
    `${place}/trace/v1/trace_service.proto`,
    `${place}/metrics/v1/metrics_service.proto`,
  ]);
}

/** A value as OTLP's JSON has it. */
interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number;
  arrayValue?: { values: AnyValue[] };
}

interface KeyValue {
  key: string;
  value: AnyValue;
}

/** A span as it was received, with its attributes by name; integers are `bigint`. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startNs: bigint;
  endNs: bigint;
  statusCode: number;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

interface RawSpan extends Omit<ReceivedSpan, 'attributes' | 'startNs' | 'endNs' | 'statusCode' | 'resource'> {
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes?: KeyValue[];
}

/** A metric as it was received: its points by their labels, as text. */
interface ReceivedMetric {
  name: string;
  unit: string;
  kind: 'gauge' | 'sum' | 'histogram';
  points: {
    labels: Record<string, unknown>;
    value?: number;
    count?: number;
    sum?: number;
    buckets?: number[];
  }[];
}

interface RawPoint {
  asInt?: string;
  asDouble?: number;
  count?: string;
  sum?: number;
  bucketCounts?: string[];
  attributes?: KeyValue[];
}

type RawMetric = { name: string; unit: string } & Partial<
  Record<ReceivedMetric['kind'], { dataPoints?: RawPoint[] }>
>;

interface RawRequest {
  resourceMetrics?: { scopeMetrics: { metrics: RawMetric[] }[] }[];
  resourceSpans?: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: RawSpan[] }[] }[];
}

/** A collector: decodes what it is sent by the original `.proto` files, or as JSON. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  /** Of the last export. */
  metrics = new Map<string, ReceivedMetric>();
  readonly headers: NodeJS.Dict<string | string[]>[] = [];
  /** The status of its answers. */
  status = 200;
  calls = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<OtlpReceiver> {
    const types = loadTypes();
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        receiver.calls += 1;
        if (receiver.status === 200) {
          receiver.headers.push(request.headers);
          const path = request.url as keyof typeof REQUESTS;
          receiver.#receive(decode(types.lookupType(REQUESTS[path]), Buffer.concat(pieces), request.headers));
        }
        response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const receiver = new OtlpReceiver(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The spans of requests, and those of calls of providers. */
  get requests(): ReceivedSpan[] {
    return this.spans.filter(({ kind }) => kind === 2);
  }

  get attempts(): ReceivedSpan[] {
    return this.spans.filter(({ kind }) => kind === 3);
  }

  async waitForCalls(calls: number): Promise<void> {
    await until(`${calls} calls`, () => this.calls >= calls);
  }

  async waitFor(requests: number): Promise<void> {
    await until(`${requests} spans of requests`, () => this.requests.length >= requests);
  }

  #receive({ resourceSpans = [], resourceMetrics = [] }: RawRequest): void {
    for (const { scopeMetrics } of resourceMetrics)
      this.metrics = new Map(
        scopeMetrics.flatMap(({ metrics }) => metrics.map((metric) => [metric.name, toMetric(metric)])),
      );
    for (const { resource, scopeSpans } of resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans) this.spans.push(toReceived(span, resource.attributes));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Protobuf as JSON has it: ids in hexadecimal, long integers as text, enums as numbers. */
function decode(type: protobuf.Type, body: Buffer, headers: NodeJS.Dict<string | string[]>): RawRequest {
  if (headers['content-type'] === 'application/json') return JSON.parse(body.toString()) as RawRequest;
  const object = type.toObject(type.decode(body), { longs: String, bytes: String, arrays: true });
  return JSON.parse(JSON.stringify(object), (name, value: unknown) =>
    name.endsWith('Id') && typeof value === 'string' ? Buffer.from(value, 'base64').toString('hex') : value,
  ) as RawRequest;
}

function toReceived(span: RawSpan, resource: readonly KeyValue[]): ReceivedSpan {
  const { startTimeUnixNano, endTimeUnixNano, status, attributes = [], ...rest } = span;
  return {
    ...rest,
    startNs: BigInt(startTimeUnixNano),
    endNs: BigInt(endTimeUnixNano),
    statusCode: status?.code ?? 0,
    attributes: toRecord(attributes),
    resource: toRecord(resource),
  };
}

function toMetric({ name, unit, ...values }: RawMetric): ReceivedMetric {
  const kind = (['gauge', 'sum', 'histogram'] as const).find((one) => values[one]) ?? 'gauge';
  const points = (values[kind]?.dataPoints ?? []).map((point) => ({
    labels: toRecord(point.attributes ?? []),
    ...(kind === 'histogram'
      ? { count: Number(point.count), sum: point.sum ?? 0, buckets: point.bucketCounts?.map(Number) ?? [] }
      : { value: point.asInt === undefined ? (point.asDouble ?? 0) : Number(point.asInt) }),
  }));
  return { name, unit, kind, points };
}

function toRecord(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toPlain(value)]));
}

function toPlain({ intValue, arrayValue, ...value }: AnyValue): unknown {
  if (intValue !== undefined) return BigInt(intValue);
  if (arrayValue) return arrayValue.values.map(toPlain);
  return Object.values(value)[0];
}

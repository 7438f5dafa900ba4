/** How a field is written; integers of 64 bits are `bigint`, ids are hexadecimal. */
type Kind = 'text' | 'hex' | 'flag' | 'enum' | 'int64' | 'fixed32' | 'fixed64' | 'double' | MessageType;

interface Field {
  number: number;
  kind: Kind;
  /** Numbers that repeat are packed. */
  repeats: boolean;
}

/** The fields of a protobuf message by their names in OTLP's JSON. */
export class MessageType {
  readonly fields = new Map<string, Field>();

  /** Adds a field. */
  with(name: string, number: number, kind: Kind): this {
    this.fields.set(name, { number, kind, repeats: false });
    return this;
  }

  /** Adds a field that repeats. */
  withList(name: string, number: number, kind: Kind): this {
    this.fields.set(name, { number, kind, repeats: true });
    return this;
  }
}

/*
 * What the gateway sends of opentelemetry-proto 1.10; a test decodes it with the original files.
 */
const anyValue = new MessageType();
const arrayValue = new MessageType().withList('values', 1, anyValue);
anyValue
  .with('stringValue', 1, 'text')
  .with('boolValue', 2, 'flag')
  .with('intValue', 3, 'int64')
  .with('doubleValue', 4, 'double')
  .with('arrayValue', 5, arrayValue);

const keyValue = new MessageType().with('key', 1, 'text').with('value', 2, anyValue);
const resource = new MessageType().withList('attributes', 1, keyValue);
const scope = new MessageType().with('name', 1, 'text').with('version', 2, 'text');

const span = new MessageType()
  .with('traceId', 1, 'hex')
  .with('spanId', 2, 'hex')
  .with('traceState', 3, 'text')
  .with('parentSpanId', 4, 'hex')
  .with('name', 5, 'text')
  .with('kind', 6, 'enum')
  .with('startTimeUnixNano', 7, 'fixed64')
  .with('endTimeUnixNano', 8, 'fixed64')
  .withList('attributes', 9, keyValue)
  .with('status', 15, new MessageType().with('code', 3, 'enum'))
  .with('flags', 16, 'fixed32');

const scopeSpans = new MessageType().with('scope', 1, scope).withList('spans', 2, span);
const resourceSpans = new MessageType()
  .with('resource', 1, resource)
  .withList('scopeSpans', 2, scopeSpans)
  .with('schemaUrl', 3, 'text');

/** `ExportTraceServiceRequest`. */
export const traceRequest = new MessageType().withList('resourceSpans', 1, resourceSpans);

const numberPoint = new MessageType()
  .with('startTimeUnixNano', 2, 'fixed64')
  .with('timeUnixNano', 3, 'fixed64')
  .with('asDouble', 4, 'double')
  .with('asInt', 6, 'fixed64')
  .withList('attributes', 7, keyValue);
const histogramPoint = new MessageType()
  .with('startTimeUnixNano', 2, 'fixed64')
  .with('timeUnixNano', 3, 'fixed64')
  .with('count', 4, 'fixed64')
  .with('sum', 5, 'double')
  .withList('bucketCounts', 6, 'fixed64')
  .withList('explicitBounds', 7, 'double')
  .withList('attributes', 9, keyValue);

const metric = new MessageType()
  .with('name', 1, 'text')
  .with('description', 2, 'text')
  .with('unit', 3, 'text')
  .with('gauge', 5, new MessageType().withList('dataPoints', 1, numberPoint))
  .with(
    'sum',
    7,
    new MessageType()
      .withList('dataPoints', 1, numberPoint)
      .with('aggregationTemporality', 2, 'enum')
      .with('isMonotonic', 3, 'flag'),
  )
  .with(
    'histogram',
    9,
    new MessageType().withList('dataPoints', 1, histogramPoint).with('aggregationTemporality', 2, 'enum'),
  );

const scopeMetrics = new MessageType().with('scope', 1, scope).withList('metrics', 2, metric);
const resourceMetrics = new MessageType()
  .with('resource', 1, resource)
  .withList('scopeMetrics', 2, scopeMetrics);

/** `ExportMetricsServiceRequest`. */
export const metricsRequest = new MessageType().withList('resourceMetrics', 1, resourceMetrics);

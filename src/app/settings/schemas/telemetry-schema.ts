import { Type } from 'typebox';

/** How traces are sampled, as in `OTEL_TRACES_SAMPLER`. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** What OTLP is spoken over, as in `OTEL_EXPORTER_OTLP_PROTOCOL`. */
export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json'] as const;

const texts = Type.Record(Type.String({ minLength: 1 }), Type.String());

const otlpSchema = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The collector’s base URL; `/v1/traces` and `/v1/metrics` are appended. Default: none.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]+$' }), Type.String(), {
        description: 'Headers of each export, such as the receiver’s key.',
      }),
    ),
    protocol: Type.Optional(
      Type.Enum([...OTLP_PROTOCOLS], { description: 'The encoding. Default: http/protobuf.' }),
    ),
    traces: Type.Optional(Type.Boolean({ description: 'Whether traces are sent. Default: true.' })),
    metrics: Type.Optional(
      Type.Boolean({ description: 'Whether metrics are sent, once a minute. Default: true.' }),
    ),
    sampler: Type.Optional(
      Type.Enum([...SAMPLERS], {
        description:
          'Which traces are sent; requests that fail always are, except with always_off. Default: parentbased_always_on.',
      }),
    ),
    ratio: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The share of traces with a sampler by trace id. Default: 1.',
      }),
    ),
    propagate: Type.Optional(
      Type.Boolean({
        description:
          'Whether providers are sent the trace and span of the call (traceparent). Default: false.',
      }),
    ),
    content: Type.Optional(
      Type.Boolean({
        description:
          'Whether spans have the prompts and answers of projects that store them (payloads). Default: false.',
      }),
    ),
    serviceName: Type.Optional(Type.String({ minLength: 1, description: 'Default: sluice.' })),
    resource: Type.Optional(texts),
  },
  { additionalProperties: false },
);

/** `telemetry` of the configuration. */
export const telemetrySchema = Type.Optional(
  Type.Object(
    { otlp: Type.Optional(otlpSchema) },
    { additionalProperties: false, description: 'OpenTelemetry.' },
  ),
);

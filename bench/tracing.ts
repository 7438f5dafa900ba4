import { parseArgs } from 'node:util';
import { systemRandom } from '#base';
import { encodeProtobuf } from '../src/telemetry/otlp/encode.ts';
import { traceRequest } from '../src/telemetry/otlp/messages.ts';
import { type TracedRecord, type TracedRequest, buildSpans } from '../src/telemetry/tracing/build-spans.ts';
import { RequestMetrics } from '../src/telemetry/request-metrics.ts';
import { Tracer } from '../src/telemetry/tracing/tracer.ts';

const HELP = `Usage: node bench/tracing.ts [--ratio <share>]

Processor time that the export of traces adds to a request with one call, in microseconds: what is recorded on its path, and
the spans that are built and encoded after its answer. Sending them is not included. Then what the counters of the metrics add.

  --ratio <share>   the share of requests that is exported; 0.1 by default
  --help            this text
`;

const REQUESTS = 100_000;
const ROUNDS = 7;
const SLICE = 16;

const ROW: TracedRequest = {
  requestId: 'req_0123456789012345678901',
  organizationId: 'org_0123456789012345678901',
  projectId: 'prj_0123456789012345678901',
  keyId: 'key_0123456789012345678901',
  startedAt: 1_700_000_000_000,
  endpoint: '/v1/messages',
  format: 'messages',
  stream: true,
  requestedModel: 'claude-sonnet-4-5',
  modelId: 'claude-sonnet-4-5',
  providerId: 'anthropic',
  externalId: 'claude-sonnet-4-5',
  status: 200,
  finishReason: 'completed',
  cached: false,
  estimated: false,
  usage: {
    inputUncached: 1_000,
    inputCacheRead: 20_000,
    inputCacheWrite5m: 300,
    inputCacheWrite1h: 0,
    inputAudio: 0,
    inputImage: 0,
    outputText: 500,
    outputReasoning: 0,
    outputAudio: 0,
    outputImage: 0,
  },
  customer: '19500000000',
  provider: '19500000000',
  attempts: [
    {
      providerId: 'anthropic',
      externalId: 'claude-sonnet-4-5',
      outcome: 'answered',
      status: 200,
      durationMs: 3_000,
      reason: 'cheapest',
    },
  ],
  firstEventMs: 500,
  durationMs: 3_000,
  userAgent: 'claude-cli/2.0 (external, cli)',
  sessionId: '00000000-0000-4000-8000-000000000000',
};

function measureMicros(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function measureCounters(): number {
  const metrics = new RequestMetrics();
  const micros = measureMicros(() => {
    for (let number = 0; number < REQUESTS; number += 1) metrics.add(ROW);
  });
  return micros / REQUESTS;
}

function measureRound(ratio: number): { path: number; exported: number; kept: number } {
  const kept: TracedRecord[] = [];
  const tracer = new Tracer({
    queue: { add: (record) => void kept.push(record) },
    rules: { byParent: true, ratio, keepsErrors: true },
    isPropagated: false,
    clock: { monotonicMs: () => 0 },
    random: systemRandom,
  });
  const path = measureMicros(() => {
    for (let number = 0; number < REQUESTS; number += 1) {
      const trace = tracer.start({}, 1_000);
      trace.recordAttempt({ startedMs: 1_001, endedMs: 4_001 });
      tracer.end(ROW, trace);
    }
  });
  const exported = measureMicros(() => {
    for (let at = 0; at < kept.length; at += SLICE) {
      const spans = kept.slice(at, at + SLICE).flatMap((record) => buildSpans(record));
      encodeProtobuf(traceRequest, { resourceSpans: [{ scopeSpans: [{ spans }] }] });
    }
  });
  return { path: path / REQUESTS, exported: exported / REQUESTS, kept: kept.length };
}

const { values } = parseArgs({
  options: { ratio: { type: 'string', default: '0.1' }, help: { type: 'boolean' } },
});
if (values.help) console.log(HELP);
else {
  const rounds = Array.from({ length: ROUNDS }, () => measureRound(Number(values.ratio)));
  const best = rounds.toSorted((one, other) => one.path + one.exported - other.path - other.exported)[0];
  if (best) {
    const total = best.path + best.exported;
    console.log(`on the path      ${best.path.toFixed(2)} µs per request`);
    console.log(
      `after the answer ${best.exported.toFixed(2)} µs per request (${best.kept} of ${REQUESTS} exported)`,
    );
    console.log(`together         ${total.toFixed(2)} µs per request, best of ${ROUNDS} rounds`);
    const counters = Math.min(...Array.from({ length: ROUNDS }, measureCounters));
    console.log(`all counters     ${counters.toFixed(2)} µs per request`);
  }
}

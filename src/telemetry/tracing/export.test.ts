import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '#base';
import { silentLog } from '../log.ts';
import { openOtlp } from '../open-otlp.ts';
import type { OtlpSettings } from '../create-otlp.ts';
import { OtlpSender } from '../otlp/sender.ts';
import type { TracedRequest } from './build-spans.ts';
import type { ReadContent, TracedBodies } from './traced-bodies.ts';
import { RequestTrace } from './request-trace.ts';
import { SpanQueue } from './span-queue.ts';
import { OtlpReceiver } from '../../../test/support/otlp-receiver.ts';

const RULES = { byParent: true, ratio: 1, keepsErrors: true };

const row = (facts: Partial<TracedRequest> = {}): TracedRequest => ({
  requestId: 'req_1',
  organizationId: 'org_1',
  projectId: 'prj_1',
  keyId: 'key_1',
  startedAt: 1_700_000_000_000,
  endpoint: '/v1/messages',
  format: 'messages',
  stream: true,
  requestedModel: 'm',
  modelId: 'm',
  providerId: 'xai',
  externalId: 'm-1',
  status: 200,
  finishReason: 'completed',
  cached: false,
  estimated: false,
  usage: {
    inputUncached: 1,
    inputCacheRead: 2,
    inputCacheWrite5m: 3,
    inputCacheWrite1h: 4,
    inputAudio: 0,
    inputImage: 0,
    outputText: 10,
    outputReasoning: 20,
    outputAudio: 0,
    outputImage: 0,
  },
  customer: '9223372036854775807',
  provider: '-1',
  attempts: [
    { providerId: 'first', externalId: 'm', outcome: 'broken', status: 500, durationMs: 30 },
    { providerId: 'xai', externalId: 'm-1', outcome: 'answered', status: 200, durationMs: 70 },
  ],
  firstEventMs: 50,
  durationMs: 110,
  ...facts,
});

const readContent: ReadContent = ({ requestedModel }, { request }) => ({
  inputMessages: `${requestedModel} ${request?.toString()}`,
  isCut: false,
});
const INPUT = 'gen_ai.input.messages';
const bodiesOf = (text: string): TracedBodies => ({ request: Buffer.from(text), contentType: '' });

const post = async (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array) => {
  const answer = await fetch(url, { method: 'POST', headers, body: Buffer.from(body) }).catch(
    () => undefined,
  );
  return answer?.status;
};

const open = async (url: string, facts: Partial<OtlpSettings> = {}) => {
  const settings = {
    tracesUrl: `${url}/v1/traces`,
    metricsEveryMs: 60_000,
    headers: { 'x-key': 'secret' },
    isJson: false,
  };
  const resource = { 'service.name': 'gateway', 'deployment.environment.name': 'test' };
  const ports = {
    post,
    random: systemRandom,
    log: silentLog,
    version: '1.2.3',
    readContent,
    sources: [],
    histograms: [],
  };
  const otlp = await openOtlp(
    { ...settings, rules: RULES, isPropagated: false, hasContent: true, resource, ...facts },
    ports,
  );
  return { ...otlp, tracer: otlp.tracer ?? assert.fail('traces are exported') };
};

for (const isJson of [false, true])
  test(`a request and its calls are spans of one trace, in ${isJson ? 'JSON' : 'protobuf'}`, async () => {
    await using receiver = await OtlpReceiver.start();
    const otlp = await open(receiver.url, { isJson });
    const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const trace = otlp.tracer.start({ traceparent: parent, tracestate: 'a=1' }, 1_000);
    trace.recordAttempt({ startedMs: 1_002.5, endedMs: 1_032 });
    trace.recordAttempt({ startedMs: 1_040, endedMs: 1_110.25 });
    otlp.tracer.end(row(), trace);
    await otlp.close();
    const [request, first, second] = receiver.spans;
    assert.equal(receiver.spans.length, 3);
    assert.ok(request && first && second);
    assert.deepEqual(receiver.headers[0]?.['x-key'], 'secret');
    assert.equal(request.traceId, '0af7651916cd43dd8448eb211c80319c');
    assert.equal(request.parentSpanId, 'b7ad6b7169203331');
    assert.equal(request.traceState, 'a=1');
    assert.equal(request.name, 'POST /v1/messages');
    for (const call of [first, second]) {
      assert.equal(call.traceId, request.traceId);
      assert.equal(call.parentSpanId, request.spanId);
    }
    assert.equal(new Set(receiver.spans.map(({ spanId }) => spanId)).size, 3);
    assert.equal(first.startNs, 1_700_000_000_002_500_000n);
    assert.equal(second.endNs, 1_700_000_000_110_250_000n);
    assert.equal(request.endNs, second.endNs, 'a request ends no earlier than its calls');
    assert.deepEqual([request.statusCode, first.statusCode, second.statusCode], [0, 2, 0]);
    assert.equal(first.attributes['error.type'], 'broken');
    assert.equal(first.attributes['gen_ai.usage.input_tokens'], undefined, 'usage is counted once');
    assert.equal(second.name, 'chat m-1');
    assert.equal(second.attributes['gen_ai.provider.name'], 'x_ai');
    assert.equal(second.attributes['gen_ai.request.stream'], true);
    assert.equal(second.attributes['gen_ai.response.time_to_first_chunk'], 0.01);
    assert.equal(second.attributes['gen_ai.usage.input_tokens'], 10n);
    assert.equal(second.attributes['gen_ai.usage.output_tokens'], 30n);
    assert.deepEqual(second.attributes['gen_ai.response.finish_reasons'], ['stop']);
    assert.equal(request.attributes['sluice.cost.customer_picousd'], 9_223_372_036_854_775_807n);
    assert.equal(request.attributes['sluice.cost.operator_picousd'], -1n);
    assert.equal(request.resource['service.name'], 'gateway');
    assert.equal(request.resource['service.version'], '1.2.3');
  });

test('content is on the call that answered, also if it is recorded after the row is written', async () => {
  await using receiver = await OtlpReceiver.start();
  const otlp = await open(receiver.url);
  for (const isLate of [false, true]) {
    const trace = otlp.tracer.start({}, 0);
    trace.expectBodies();
    if (!isLate) trace.recordBodies(bodiesOf('early'));
    otlp.tracer.end(row(), trace);
    if (isLate) trace.recordBodies(bodiesOf('late'));
  }
  await otlp.close();
  assert.deepEqual(
    receiver.spans.map(({ attributes }) => attributes[INPUT]),
    [undefined, undefined, 'm early', undefined, undefined, 'm late'],
  );
});

test('without the setting no content is exported, nor waited for', async () => {
  await using receiver = await OtlpReceiver.start();
  const otlp = await open(receiver.url, { hasContent: false });
  const trace = otlp.tracer.start({}, 0);
  trace.expectBodies();
  otlp.tracer.end(row(), trace);
  trace.recordBodies(bodiesOf('secret'));
  await otlp.close();
  assert.equal(receiver.requests.length, 1);
  assert.ok(receiver.spans.every(({ attributes }) => attributes[INPUT] === undefined));
});

test('of many large bodies some are exported without content, none are lost, and batches stay small', async () => {
  await using receiver = await OtlpReceiver.start();
  const queue = openQueue(
    receiver.url,
    () => undefined,
    () => ({ inputMessages: 'read', isCut: false }),
  );
  const large = bodiesOf('x'.repeat(1_048_576));
  for (let number = 0; number < 40; number += 1) queue.add({ ...record(String(number)), bodies: large });
  await queue.close(60_000);
  assert.equal(queue.exported, 40);
  const read = receiver.spans.filter(({ attributes }) => attributes[INPUT] !== undefined);
  assert.equal(read.length, 16);
  assert.equal(receiver.calls, 4);
  for (let number = 0; number < 2; number += 1) queue.add({ ...record(String(number)), bodies: large });
  await queue.close(60_000);
  assert.equal(receiver.spans.filter(({ attributes }) => attributes[INPUT] !== undefined).length, 18);
});

test('large messages have the lengths that they say', async () => {
  await using receiver = await OtlpReceiver.start();
  const otlp = await open(receiver.url);
  const names = [1, 127, 128, 16_383, 16_384, 70_000].map((size) => 'ü'.repeat(size));
  for (const requestedModel of names) otlp.tracer.end(row({ requestedModel }));
  await otlp.close();
  assert.deepEqual(
    receiver.requests.map(({ attributes }) => attributes['sluice.request.model']),
    names,
  );
});

test('requests that fail are kept whatever the sampler decides, others as it decides', async () => {
  await using receiver = await OtlpReceiver.start();
  const otlp = await open(receiver.url, { rules: { ...RULES, ratio: 0 } });
  const unwanted = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' };
  const attempts = [{ providerId: 'p', externalId: 'm', outcome: 'answered', durationMs: 1 }];
  otlp.tracer.end(row({ requestId: 'fine', attempts }));
  otlp.tracer.end(row({ requestId: 'left', attempts, errorCode: 'client_closed', finishReason: 'canceled' }));
  otlp.tracer.end(row({ requestId: 'refused', attempts: [], errorCode: 'model_not_found' }));
  otlp.tracer.end(row({ requestId: 'fell back' }), otlp.tracer.start(unwanted, 0));
  await otlp.close();
  const kept = receiver.requests.map(({ attributes }) => attributes['sluice.request.id']);
  assert.deepEqual(kept, ['refused', 'fell back']);
  const off = await open(receiver.url, { rules: { byParent: false, ratio: 0, keepsErrors: false } });
  off.tracer.end(row());
  await off.close();
  assert.equal(receiver.requests.length, 2);
});

function openQueue(
  url: string,
  onLoss: (count: number) => void = () => undefined,
  read?: ReadContent,
): SpanQueue {
  const sender = new OtlpSender(
    { url: `${url}/v1/traces`, headers: {}, isJson: false },
    { post, random: systemRandom, firstDelayMs: 1 },
  );
  return new SpanQueue({ sender, resource: {}, scope: {}, readContent: read, delayMs: 1, onLoss });
}

const record = (requestId: string) => ({
  row: row({ requestId }),
  trace: new RequestTrace(undefined, {
    startedMs: 0,
    rules: RULES,
    isPropagated: false,
    random: systemRandom,
  }),
});

test('a collector that is busy gets the same spans again, once it takes them', async () => {
  await using receiver = await OtlpReceiver.start();
  receiver.status = 503;
  const queue = openQueue(receiver.url);
  queue.add(record('one'));
  await receiver.waitForCalls(2);
  receiver.status = 200;
  await receiver.waitFor(1);
  await queue.close(1_000);
  assert.equal(receiver.requests.length, 1);
  assert.deepEqual([queue.exported, queue.dropped], [1, 0]);
});

test('without a collector the queue is bounded, and each lost request is counted', async () => {
  const receiver = await OtlpReceiver.start();
  const { url } = receiver;
  await receiver[Symbol.asyncDispose]();
  let lost = 0;
  const queue = openQueue(url, (count) => {
    lost += count;
  });
  const total = 6_000;
  for (let number = 0; number < total; number += 1) queue.add(record(String(number)));
  assert.ok(queue.waiting <= 4_096);
  await queue.close(60_000);
  assert.deepEqual([queue.exported, queue.waiting, queue.dropped], [0, 0, total]);
  assert.ok(lost > 0 && lost <= total);
});

test('a collector that refuses is not asked again', async () => {
  await using receiver = await OtlpReceiver.start();
  receiver.status = 401;
  const queue = openQueue(receiver.url);
  queue.add(record('one'));
  await queue.close(60_000);
  assert.deepEqual([receiver.calls, queue.dropped], [1, 1]);
});

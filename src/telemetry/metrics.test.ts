import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';
import { type ClosedRequest, RequestMetrics } from './request-metrics.ts';

const USAGE = {
  inputUncached: 10,
  inputCacheRead: 20,
  inputCacheWrite5m: 1,
  inputCacheWrite1h: 2,
  inputAudio: 0,
  inputImage: 0,
  outputText: 30,
  outputReasoning: 40,
  outputAudio: 0,
  outputImage: 0,
};

const request = (facts: Partial<ClosedRequest> = {}): ClosedRequest => ({
  requestId: 'req_1',
  endpoint: '/v1/messages',
  status: 200,
  finishReason: 'completed',
  modelId: 'm',
  providerId: 'p',
  cached: false,
  usage: USAGE,
  customer: '1234567890123',
  provider: '1',
  attempts: [{ providerId: 'p', outcome: 'answered' }],
  firstEventMs: 400,
  durationMs: 1_400,
  ...facts,
});

/** The samples of a print, by name and labels. */
async function read(metrics: Metrics): Promise<Map<string, number>> {
  const lines = (await metrics.print()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

test('requests, attempts, tokens, times and cost add up, and cost is exact', async () => {
  const requests = new RequestMetrics();
  const metrics = new Metrics([], requests);
  requests.add(request());
  requests.add(
    request({
      attempts: [
        { providerId: 'other', outcome: 'broken' },
        { providerId: 'p', outcome: 'answered' },
      ],
    }),
  );
  requests.add(request({ status: 402, errorCode: 'key_limit_reached', customer: '0', provider: '0' }));
  const samples = await read(metrics);
  const expected: Record<string, number> = {
    'sluice_requests_total{endpoint="/v1/messages",status="200"}': 2,
    'sluice_requests_total{endpoint="/v1/messages",status="402"}': 1,
    'sluice_model_requests_total{model="m",provider="p"}': 3,
    'sluice_errors_total{code="key_limit_reached"}': 1,
    'sluice_attempts_total{provider="other",outcome="broken"}': 1,
    'sluice_attempts_total{provider="p",outcome="answered"}': 3,
    'sluice_fallbacks_total{provider="other"}': 1,
    'sluice_cost_usd_total{model="m",provider="p",payer="customer"}': 2.469135780246,
    'sluice_cost_usd_total{model="m",provider="p",payer="operator"}': 2e-12,
    'sluice_tokens_total{provider="p",type="input"}': 30,
    'sluice_tokens_total{provider="p",type="cache_read"}': 60,
    'sluice_tokens_total{provider="p",type="cache_write"}': 9,
    'sluice_tokens_total{provider="p",type="reasoning"}': 120,
    'sluice_time_to_first_event_seconds_bucket{provider="p",le="0.25"}': 0,
    'sluice_time_to_first_event_seconds_bucket{provider="p",le="0.5"}': 3,
    'sluice_time_to_first_event_seconds_bucket{provider="p",le="+Inf"}': 3,
    'sluice_time_to_first_event_seconds_count{provider="p"}': 3,
    'sluice_output_tokens_per_second_bucket{provider="p",le="40"}': 0,
    'sluice_output_tokens_per_second_bucket{provider="p",le="80"}': 3,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(samples.get(name), value, name);
});

test('1,000 models at 40 providers stay below 2,000 series, and no request is lost among them', async () => {
  const requests = new RequestMetrics();
  const metrics = new Metrics([], requests);
  for (let each = 0; each < 1_000; each += 1) {
    const providerId = `provider-${each % 40}`;
    const attempts = [{ providerId, outcome: 'answered' }];
    requests.add(request({ modelId: `model-${each}`, providerId, attempts }));
  }
  const samples = await read(metrics);
  assert.ok(samples.size < 2_000, `${samples.size} series`);
  const models = [...samples].filter(([name]) => name.startsWith('sluice_model_requests_total'));
  assert.equal(
    models.reduce((sum, [, count]) => sum + count, 0),
    1_000,
  );
  assert.ok((samples.get('sluice_model_requests_total{model="other",provider="other"}') ?? 0) > 750);
});

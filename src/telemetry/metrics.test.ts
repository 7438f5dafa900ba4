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
  externalId: 'p-m',
  cached: false,
  usage: USAGE,
  customer: '1234567890123',
  provider: '1',
  attempts: [{ providerId: 'p', externalId: 'p-m', outcome: 'answered' }],
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
        { providerId: 'other', externalId: 'o-m', outcome: 'broken' },
        { providerId: 'p', externalId: 'p-m', outcome: 'answered' },
      ],
    }),
  );
  requests.add(request({ status: 402, errorCode: 'key_limit_reached', customer: '0', provider: '0' }));
  const samples = await read(metrics);
  const expected: Record<string, number> = {
    'sluice_requests_total{endpoint="/v1/messages",status="200"}': 2,
    'sluice_requests_total{endpoint="/v1/messages",status="402"}': 1,
    'sluice_model_requests_total{provider="p",model="m"}': 3,
    'sluice_errors_total{code="key_limit_reached"}': 1,
    'sluice_attempts_total{provider="other",provider_model="o-m",outcome="broken"}': 1,
    'sluice_attempts_total{provider="p",provider_model="p-m",outcome="answered"}': 3,
    'sluice_fallbacks_total{provider="other",provider_model="o-m"}': 1,
    'sluice_cost_usd_total{provider="p",model="m",payer="customer"}': 2.469135780246,
    'sluice_cost_usd_total{provider="p",model="m",payer="operator"}': 2e-12,
    'sluice_tokens_total{provider="p",model="m",type="input"}': 30,
    'sluice_tokens_total{provider="p",model="m",type="cache_read"}': 60,
    'sluice_tokens_total{provider="p",model="m",type="cache_write"}': 9,
    'sluice_tokens_total{provider="p",model="m",type="reasoning"}': 120,
    'sluice_time_to_first_event_seconds_bucket{provider="p",model="m",le="0.25"}': 0,
    'sluice_time_to_first_event_seconds_bucket{provider="p",model="m",le="0.5"}': 3,
    'sluice_time_to_first_event_seconds_bucket{provider="p",model="m",le="+Inf"}': 3,
    'sluice_time_to_first_event_seconds_count{provider="p",model="m"}': 3,
    'sluice_output_tokens_per_second_bucket{provider="p",model="m",le="40"}': 0,
    'sluice_output_tokens_per_second_bucket{provider="p",model="m",le="80"}': 3,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(samples.get(name), value, name);
});

test('a fallback to another model of the same provider counts, a second call of the same model does not', async () => {
  const requests = new RequestMetrics();
  const metrics = new Metrics([], requests);
  const broken = { providerId: 'p', externalId: 'p-m', outcome: 'broken' };
  const answered = { providerId: 'p', outcome: 'answered' };
  requests.add(request({ attempts: [broken, { ...answered, externalId: 'p-m' }] }));
  requests.add(request({ externalId: 'p-n', attempts: [broken, { ...answered, externalId: 'p-n' }] }));
  const samples = await read(metrics);
  assert.equal(samples.get('sluice_fallbacks_total{provider="p",provider_model="p-m"}'), 1);
});

test('the models of organizations’ own providers take one series, and show no name', async () => {
  const requests = new RequestMetrics((providerId) => providerId === 'p');
  const metrics = new Metrics([], requests);
  for (let each = 0; each < 200; each += 1) {
    const externalId = `secret-${each}`;
    const own = { providerId: `theirs-${each}`, externalId };
    const attempts = [
      { ...own, outcome: 'broken' },
      { ...own, externalId: `${externalId}-spare`, outcome: 'answered' },
    ];
    requests.add(request({ ...own, externalId: `${externalId}-spare`, modelId: externalId, attempts }));
  }
  requests.add(request());
  const samples = await read(metrics);
  assert.equal(samples.get('sluice_model_requests_total{provider="custom",model="custom"}'), 200);
  assert.equal(samples.get('sluice_fallbacks_total{provider="custom",provider_model="custom"}'), 200);
  for (const name of ['model_requests_total', 'tokens_total', 'time_to_first_event_seconds_count'])
    assert.ok(
      [...samples.keys()].some((key) => key.startsWith(`sluice_${name}{provider="p",model="m"`)),
      name,
    );
  assert.doesNotMatch([...samples.keys()].join(), /theirs|secret/);
});

test('1,000 models at 40 providers stay below 2,000 series, and no request is lost among them', async () => {
  const requests = new RequestMetrics();
  const metrics = new Metrics([], requests);
  for (let each = 0; each < 1_000; each += 1) {
    const providerId = `provider-${each % 40}`;
    const externalId = `external-${each}`;
    const endpoint = `/v1/${each % 25}`;
    const attempts = [
      { providerId: `provider-${(each + 1) % 40}`, externalId, outcome: 'broken' },
      { providerId, externalId, outcome: 'answered' },
    ];
    requests.add(request({ endpoint, modelId: `model-${each}`, providerId, externalId, attempts }));
  }
  const samples = await read(metrics);
  assert.ok(samples.size < 2_000, `${samples.size} series`);
  const sumOf = (beginning: string): number =>
    [...samples].reduce((sum, [name, value]) => (name.startsWith(beginning) ? sum + value : sum), 0);
  assert.equal(sumOf('sluice_model_requests_total'), 1_000);
  assert.equal(sumOf('sluice_attempts_total'), 2_000);
  assert.equal(sumOf('sluice_fallbacks_total'), 1_000);
  assert.equal(sumOf('sluice_time_to_first_event_seconds_count'), 1_000);
  assert.equal(samples.get('sluice_model_requests_total{provider="provider-1",model="model-1"}'), 1);
  assert.ok((samples.get('sluice_model_requests_total{provider="provider-1",model="other"}') ?? 0) > 10);
  assert.ok((samples.get('sluice_model_requests_total{provider="other",model="other"}') ?? 0) > 500);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExportReceiver, RECEIVER_SECRET, isSigned } from '../support/export-receiver.ts';
import { createProviderConfig, startGateway } from '../support/gateway.ts';
import { startMockUpstream } from '../support/mock-upstream.ts';
import { until } from '../support/until.ts';
import { fail } from '../support/upstream-replies.ts';

test('an export that fails, a provider that is down and a test reach the receiver of alerts, signed', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: fail(500, 'api_error') });
  await using receiver = await ExportReceiver.start();
  await using broken = await ExportReceiver.start();
  broken.mode = 'refusing';
  await using gateway = await startGateway({
    config: `${createProviderConfig(upstream.baseUrl, {})}
alerts: { url: "${receiver.url}", secret: "${RECEIVER_SECRET}" }
exports: [{ name: siem, type: http, url: "${broken.url}", batch: { seconds: 0 } }]
`,
  });
  const body = { model: 'mock-model', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
  for (let n = 0; n < 12; n += 1) await (await gateway.post('/v1/chat/completions', body)).text();
  assert.equal((await gateway.cli('alerts', 'test')).code, 0);
  const messages = () =>
    receiver.requests.map((request) => JSON.parse(request.body.toString()) as { type: string; data: object });
  for (const type of ['test', 'provider.outage', 'export.failing'])
    await until(type, () => messages().some((message) => message.type === type), 100);
  assert.ok(receiver.requests.every((request) => isSigned(request)));
  const failing = messages().find(({ type }) => type === 'export.failing')?.data as Record<string, unknown>;
  assert.equal(failing['export'], 'siem');
  assert.match(String(failing['error']), /status 503: closed for repairs/);
  const listed = await gateway.cli('exports', 'list', '--json');
  const [siem] = listed.json?.['data'] as { waiting: number; failures: number; last_error: string }[];
  assert.ok(siem && siem.waiting > 0 && siem.failures >= 4);
  assert.match(siem.last_error, /status 503/);
});

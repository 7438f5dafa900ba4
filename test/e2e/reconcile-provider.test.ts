import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const folder = createTemporaryFolder();
let gateway: InProcessGateway;
before(async () => {
  gateway = await openInProcess();
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  folder.remove();
});

test('a provider that does not exist is refused, one that has answered earlier is not', async () => {
  const file = folder.write('requests.csv', 'upstream_id,time,input_tokens\nup_1,2026-11-20T10:00:00Z,5\n');
  const ask = (provider: string) =>
    gateway.cli('reconcile', 'csv', file, '--provider', provider, '--config', gateway.configFile);
  const wrong: [string, RegExp][] = [
    ['opnai', /there is no provider "opnai", and none answered a request here; did you mean openai\?/],
    ['a-stranger', /there is no provider "a-stranger".*; npx sluice providers list --all names them/],
  ];
  for (const [provider, message] of wrong) {
    const { code, stderr } = await ask(provider);
    assert.equal(code, 1, provider);
    assert.match(stderr, message);
  }
  const body = { model: 'chat-model', messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/chat/completions', body);
  await gateway.getRow(response);
  await gateway.database.query({ text: `UPDATE request_log SET provider_id = 'earlier'` });
  assert.ok((await ask('earlier')).json, 'it is compared');
});

test('a comparison that ends before its usual start is refused, with the option that sets the start', async () => {
  const { code, stderr } = await gateway.cli('reconcile', 'openai', '--until', '2020-01-01');
  assert.equal(code, 1);
  assert.match(stderr, /before the usual start, 7 days ago; name one with --since/);
});

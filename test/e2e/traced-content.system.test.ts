import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProviderConfig, startGateway } from '../support/gateway.ts';
import { startMockUpstream } from '../support/mock-upstream.ts';
import { OtlpReceiver } from '../support/otlp-receiver.ts';
import { answer } from '../support/upstream-replies.ts';

const INPUT = 'gen_ai.input.messages';
const OUTPUT = 'gen_ai.output.messages';

test('spans have the prompts and answers of a project that stores payloads, without credentials, and of no other', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'one two three', chunks: 3 }) });
  await using collector = await OtlpReceiver.start();
  await using gateway = await startGateway({
    config: `${createProviderConfig(upstream.baseUrl, {})}\ntelemetry: { otlp: { endpoint: "${collector.url}", content: true } }\n`,
  });
  const { organization_id: organizationId, project_id: projectId } = gateway.line;
  const other = await gateway.run('projects', 'create', '--org', organizationId, 'other');
  const silent = await gateway.createKey('--project', other['id'] as string);
  await gateway.run('payloads', 'set', '--project', projectId, '--days', '1');
  const ask = async (path: string, stream: boolean, authorization?: string): Promise<void> => {
    const content = `remember ${authorization ?? 'this'}`;
    const body = { model: 'mock-model', max_tokens: 64, stream, messages: [{ role: 'user', content }] };
    const response = await gateway.post(path, body, authorization === undefined ? {} : { authorization });
    assert.equal(response.status, 200, await response.text());
  };
  for (const path of ['/v1/chat/completions', '/v1/messages'])
    for (const stream of [false, true]) await ask(path, stream);
  await ask('/v1/chat/completions', true, silent.authorization);
  await gateway.stop();
  const calls = collector.attempts;
  assert.equal(calls.length, 5);
  const said = (text: string, more: object = {}) => [
    {
      role: 'finish_reason' in more ? 'assistant' : 'user',
      parts: [{ type: 'text', content: text }],
      ...more,
    },
  ];
  const kept = calls.filter(({ attributes }) => INPUT in attributes);
  assert.equal(kept.length, 4);
  for (const { attributes } of kept) {
    assert.deepEqual(JSON.parse(attributes[INPUT] as string), said('remember this'));
    assert.deepEqual(
      JSON.parse(attributes[OUTPUT] as string),
      said('one two three', { finish_reason: 'stop' }),
    );
  }
  const text = JSON.stringify(collector.spans, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  assert.ok(!text.includes(silent.apiKey));
  assert.equal(text.split('remember').length - 1, 4);
});

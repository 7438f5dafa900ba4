import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createProviderConfig } from '../../../test/support/gateway.ts';
import { openInProcess } from '../../../test/support/in-process.ts';
import { shareGateway } from '../../../test/support/share-gateway.ts';
import { startMockUpstream } from '../../../test/support/mock-upstream.ts';
import { answer } from '../../../test/support/upstream-replies.ts';

const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

/** A check of the stores is remembered for less. */
const CHECK_MS = 2_000;

let authorization: string;
const gateway = shareGateway();
before(async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({
    label: 'operator',
    scopes: ['operations:write'],
  });
  authorization = `Bearer ${secret}`;
});

async function get<Answer>(path: string): Promise<Answer> {
  const response = await gateway.request(`/admin/v1/${path}`, { headers: { authorization } });
  assert.equal(response.status, 200);
  return (await response.json()) as Answer;
}

test('providers show what calls have shown of each model, and never a key', async () => {
  await (await gateway.post('/v1/chat/completions', ask)).text();
  type Answer = { data: { id: string; live: boolean; health: { model: string; state: string }[] }[] };
  const answer = await get<Answer>('providers');
  const called = answer.data.filter(({ health }) => health.length > 0);
  assert.equal(called.length, 1);
  assert.deepEqual([called[0]?.live, called[0]?.health[0]?.state], [true, 'healthy']);
  assert.doesNotMatch(JSON.stringify(answer), /mock-key|sk-/);
});

test('a provider that was never called has no health, although requests have considered it', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'hello' }) });
  const config = createProviderConfig(upstream.baseUrl, { id: 'first' }, { id: 'second' });
  await using scene = await openInProcess({ config });
  const response = await scene.post('/v1/chat/completions', { ...ask, model: 'mock-model' });
  assert.equal(response.status, 200, await response.text());
  const { secret } = await scene.accounts.directory.createAdminKey({
    label: 'operator',
    scopes: ['operations:read'],
  });
  const listed = await scene.request('/admin/v1/providers', {
    headers: { authorization: `Bearer ${secret}` },
  });
  const { data } = (await listed.json()) as { data: { health: unknown[] }[] };
  assert.equal(data.flatMap(({ health }) => health).length, 1);
});

test('a test request reaches the provider, and reports what is wrong with one that has no key', async () => {
  const [live] = (
    await get<{ data: { id: string; live: boolean; health: object[] }[] }>('providers')
  ).data.filter(({ health }) => health.length > 0);
  const run = async (id: string): Promise<{ ok: boolean; message: string | null } | undefined> => {
    const response = await gateway.post('/admin/v1/provider_tests', { provider_id: id }, { authorization });
    return ((await response.json()) as { data: { ok: boolean; message: string | null }[] }).data[0];
  };
  assert.equal((await run(live?.id ?? ''))?.ok, true);
  assert.match((await run('anthropic'))?.message ?? '', /ANTHROPIC_API_KEY/);
});

test('the state names the stores and this process among the replicas', async () => {
  type Answer = { database: { connected: boolean; version: string }; replicas: { note: string }[] };
  const { database, replicas } = await get<Answer>('status');
  assert.equal(database.connected, true);
  assert.match(database.version, /^\d+/);
  assert.ok(replicas.some(({ note }) => note.includes(String(process.pid))));
});

test('without a database the state is still reported', async () => {
  gateway.clock.advance(CHECK_MS);
  gateway.line.cut();
  try {
    const { database, replicas } = await get<{ database: { connected: boolean }; replicas: unknown }>(
      'status',
    );
    assert.deepEqual([database.connected, replicas], [false, null]);
  } finally {
    gateway.line.mend();
  }
});

test('settings name where each comes from, and no password', async () => {
  const { data } = await get<{ data: { name: string; value: string; source: string }[] }>('settings');
  const found = data.find(({ name }) => name === 'DATABASE_URL');
  assert.match(found?.value ?? '', /^postgres:\/\/[^:@]+@127/);
  assert.notEqual(found?.source, 'default');
});

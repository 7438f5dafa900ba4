import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { assertRefusal } from '../../../../../test/support/refusal.ts';
import { keepResponse, proveResponseRefusals } from '../../../../../test/support/stored-responses.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

const ask = (id: string, headers: Record<string, string> = {}, query = '') =>
  gateway.request(`/v1/responses/${id}/input_items${query}`, { method: 'GET', headers });
const user = (text: string) => ({ role: 'user', content: text });

/** Each item's text, or its type. */
function outline(items: readonly unknown[]): string[] {
  return (items as { type: string; content?: { text: string }[] }[]).map(
    ({ type, content }) => content?.[0]?.text ?? type,
  );
}

test('200: the official SDK lists what a response was asked, the latest first, in pages', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.account.apiKey, maxRetries: 0 });
  const texts = ['one', 'two', 'three', 'four', 'five'];
  const { id } = await keepResponse(gateway, { input: texts.map(user) });
  for (const [query, expected] of [
    [{}, texts.toReversed()],
    [{ limit: 2 }, texts.toReversed()],
    [{ limit: 2, order: 'asc' }, texts],
  ] as const) {
    const items: unknown[] = [];
    for await (const item of client.responses.inputItems.list(id, query)) items.push(item);
    assert.deepEqual(outline(items), expected);
  }
});

test('200: a page names its first and last item and whether more follow', async () => {
  const { id } = await keepResponse(gateway, { input: [user('one'), user('two'), user('three')] });
  const response = await ask(id, {}, '?limit=2&order=asc');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  const { data, ...page } = (await response.json()) as { data: { id: string }[] };
  const [first, last] = data;
  assert.deepEqual(first, {
    id: `msg_${id.slice('resp_'.length)}_0`,
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'one' }],
  });
  assert.deepEqual(page, { object: 'list', first_id: first.id, last_id: last?.id, has_more: true });
  const rest = await ask(id, {}, `?order=asc&after=${last?.id}`);
  const { data: others, has_more } = (await rest.json()) as { data: unknown[]; has_more: boolean };
  assert.deepEqual([outline(others), has_more], [['three'], false]);
});

test('200: the conversation that a response continued, with the answers in it, less what was deleted', async () => {
  const first = await keepResponse(gateway, { input: 'one' });
  const second = await keepResponse(gateway, { input: 'two', previous_response_id: first.id });
  const third = await keepResponse(gateway, { input: [user('three')], previous_response_id: second.id });
  const list = async () => {
    const response = await ask(third.id, {}, '?order=asc');
    return ((await response.json()) as { data: { id: string }[] }).data;
  };
  const all = await list();
  assert.deepEqual([all[1]?.id, all[3]?.id], [first.output[0]?.id, second.output[0]?.id]);
  assert.deepEqual(outline([all[0], all[2], all[4]]), ['one', 'two', 'three']);
  assert.equal(all.length, 5);
  assert.equal(new Set(all.map(({ id }) => id)).size, 5);
  await gateway.request(`/v1/responses/${first.id}`, { method: 'DELETE' });
  assert.deepEqual(await list(), all.slice(2));
});

test('400: an invalid page, an item of another list', async () => {
  const { id } = await keepResponse(gateway);
  for (const query of ['?limit=0', '?limit=101', '?limit=x', '?order=up', '?after=msg_x'])
    await assertRefusal(await ask(id, {}, query), {
      format: 'responses',
      status: 400,
      code: 'invalid_request',
    });
});

proveResponseRefusals(gateway, ask);

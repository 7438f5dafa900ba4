import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveKeyRefusals } from '../../../../../test/support/key-refusals.ts';
import { asKey, orderVideo } from '../../../../../test/support/video-client.ts';
import { shareVideoGateway } from '../../../../../test/support/video-gateway.ts';

const open = shareVideoGateway();

interface Page {
  data: { id: string }[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}
const ask = (query = '', headers: Record<string, string> = {}) =>
  open.gateway.request(`/v1/videos${query}`, { headers });
const readPage = async (query: string, headers: Record<string, string>) =>
  (await (await ask(query, headers)).json()) as Page;

test('200: every video of the project once, page by page, in both orders', async () => {
  const own = asKey((await open.gateway.createAccount()).apiKey);
  await orderVideo(open.gateway);
  const created: string[] = [];
  for (let count = 0; count < 5; count += 1) created.push((await orderVideo(open.gateway, {}, own)).id);
  for (const order of ['asc', 'desc'] as const) {
    const read: string[] = [];
    for (let after: string | null = ''; ;) {
      const page = await readPage(`?limit=2&order=${order}${after ? `&after=${after}` : ''}`, own);
      read.push(...page.data.map(({ id }) => id));
      assert.equal(page.last_id, page.data.at(-1)?.id);
      if (!page.has_more) break;
      after = page.last_id;
    }
    assert.deepEqual(read, order === 'asc' ? created : created.toReversed());
  }
});

test('400: an invalid page', async () => {
  for (const query of ['?limit=0', '?limit=101', '?limit=x', '?order=up', '?after=..'])
    await open.refuses(await ask(query), 400, 'invalid_request');
});

proveKeyRefusals({
  gateway: () => open.gateway,
  format: 'chat',
  ask: (headers) => ask('', headers),
  table: 'video_job',
});

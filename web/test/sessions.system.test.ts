import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { WastefulSession } from '../../test/support/wasteful-session.ts';
import { fillDay } from './day.ts';
import { findMisaligned, inspect, noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ask = (maxTokens: number) => ({
  model: 'chat-model',
  max_tokens: maxTokens,
  messages: [{ role: 'user', content: 'hello' }],
});

/** Requests of the deep session with a key that has nothing to spend. */
const REFUSED = 2;

const MISS = {
  reasons: [{ code: 'idle', idleMinutes: 11, ttlMinutes: 5 }],
  tokens: 1_200,
  cost: '2500000000',
};

describe('sessions of clients in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  let dearest: string;
  before(async () => {
    gateway = await openInProcess();
    dearest = await runSessions(gateway);
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('the most expensive session is found, and in it the turn of the sub-agent that cost it', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByLabel('Order').selectOption('Most expensive first');
    await page.waitForURL(/sort=cost/);
    const table = page.getByRole('group', { name: 'Sessions' });
    await page.waitForFunction(() => document.querySelector('tbody a')?.textContent === 'deep');
    assert.match(await table.locator('tbody tr').first().innerText(), /deep[\s\S]*my-agent/);
    await table.getByRole('link', { name: 'deep', exact: true }).click();
    await page.getByRole('heading', { name: 'deep' }).waitFor();
    await page.getByLabel('Order').selectOption('Most expensive first');
    const tree = page.getByRole('treegrid', { name: 'Agents and turns' });
    await tree.getByRole('row').nth(1).focus();
    const at = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
    assert.match(await at(), /^▾session/);
    for (const expected of [/^▾agent search/, /^▾agent reader/, /^turn 1/]) {
      await page.keyboard.press('ArrowDown');
      await page.waitForFunction(
        (source) => new RegExp(source).test(document.activeElement?.textContent ?? ''),
        expected.source,
      );
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Bill' }).waitFor();
    assert.ok(page.url().endsWith(`/requests/${dearest}`), page.url());
    await page.getByRole('link', { name: 'deep' }).click();
    await page.getByRole('heading', { name: 'deep' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('a turn shows its model, and why it missed the prompt cache with what that cost', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions/deep`);
    const tree = page.getByRole('treegrid', { name: 'Agents and turns' });
    await tree.getByText('$0.0025, idle', { exact: true }).waitFor();
    const turn = tree.getByRole('row').filter({ hasText: '$0.0025, idle' });
    assert.match(await turn.innerText(), /^turn 1\s+chat-model\s/);
    const cell = turn.getByRole('gridcell', { name: '$0.0025, idle' });
    assert.equal(await cell.getAttribute('title'), '11 minutes idle, ttl 5: $0.0025');
    const agent = tree.getByRole('row').filter({ hasText: 'agent reader' });
    await agent.getByText('$0.0025', { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('refused turns say so, their session counts them, and a bar is beside its figure', async () => {
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions`);
    const line = page.getByRole('group', { name: 'Sessions' }).locator('tbody tr');
    await line.filter({ hasText: 'deep' }).getByText('2 failed').waitFor();
    await page.getByRole('link', { name: 'deep', exact: true }).click();
    await page.getByLabel('Figures').getByText('2 failed').waitFor();
    const tops = await page
      .locator('.tile')
      .evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().top));
    assert.equal(tops.indexOf(tops.at(-1) ?? 0) * 2, tops.length, 'the last row of figures has no gap');
    await page.getByLabel('Figures').getByText('Paid for missed caches').waitFor();
    const tree = page.getByRole('treegrid', { name: 'Agents and turns' });
    const refused = tree.getByRole('gridcell', { name: '402 Key limit reached' });
    assert.equal(await refused.count(), REFUSED);
    assert.equal(
      await refused.first().getAttribute('title'),
      '402 Key limit reached (key_limit_reached), 1 failed',
    );
    await tree.getByRole('row').nth(1).getByText('2 failed').waitFor();
    const ends = await tree.locator('.share').evaluateAll((cells) =>
      cells.map((cell) => {
        const [track, figure] = [...cell.children].map((child) => child.getBoundingClientRect());
        return (figure?.left ?? 0) - (track?.right ?? 0);
      }),
    );
    assert.ok(ends.length > 5 && ends.every((gap) => gap > 0), String(ends));
    assert.deepEqual(faults, []);
  });

  test('sessions are those of a key, which is found by its name', async () => {
    const { directory } = gateway.accounts;
    const { secret, key } = await directory.createKey({
      projectId: gateway.account.projectId,
      label: 'nightly',
    });
    const headers = { authorization: `Bearer ${secret}`, 'x-gateway-session': 'of-nightly' };
    await (await gateway.post(CHAT, ask(8), headers)).text();
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions`);
    await page.getByRole('combobox', { name: 'Key' }).fill('nightl');
    await page.getByRole('option', { name: 'nightly' }).click();
    await page.waitForURL(new RegExp(`key_id=${key.id}`));
    const table = page.getByRole('group', { name: 'Sessions' });
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
    await table.getByRole('link', { name: 'of-nightly' }).waitFor();
    await table.getByRole('cell', { name: 'nightly', exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('without the right to read names, a link still shows that it has the sessions of one key, and how to leave it', async () => {
    await using tab = await openTab(gateway, {}, { scopes: ['logs:read'] });
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions?key_id=key_other`);
    await page.getByText('No sessions in this period').waitFor();
    await page.getByRole('button', { name: 'Of all keys, not only key_other' }).click();
    await page.getByRole('link', { name: 'deep', exact: true }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Key' }).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('a tree prints all of its rows, also those that are out of sight', async () => {
    const headers = { 'x-gateway-session': 'printed' };
    for (let turn = 0; turn < 90; turn += 1)
      await (await gateway.post(CHAT, ask(8), { ...headers, 'x-gateway-turn': `turn-${turn}` })).text();
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions/printed`);
    const rows = page.getByRole('treegrid').getByRole('row');
    await rows.nth(10).waitFor();
    assert.ok((await rows.count()) < 60, 'only those in sight are in the document');
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => globalThis.dispatchEvent(new Event('beforeprint')));
    assert.equal(await rows.count(), 92);
    const [first, last] = [await rows.nth(1).boundingBox(), await rows.nth(91).boundingBox()];
    assert.ok(first && last && last.y - first.y > 90 * 10, 'they are below each other');
    assert.ok(await rows.nth(91).getByText('turn 90').isVisible());
    await page.evaluate(() => globalThis.dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: null });
    await page.waitForFunction(() => document.querySelectorAll('.tree-space > .tree-row').length < 60);
    assert.deepEqual(faults, []);
  });

  test('a branch closes and opens by keys, and its rows leave and return', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions/deep`);
    const rows = page.getByRole('treegrid').getByRole('row');
    await rows.nth(1).focus();
    const all = await rows.count();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelectorAll('[role=row]').length === 2);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((count) => document.querySelectorAll('[role=row]').length === count, all);
  });

  test('more than a hundred sessions are loaded page by page, each once', async () => {
    await fillDay(gateway);
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions`);
    const links = page.getByRole('group', { name: 'Sessions' }).getByRole('link');
    await links.nth(99).waitFor();
    assert.equal(await links.count(), 100);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await links.nth(100).waitFor();
    const ids = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(faults, []);
  });

  test('no session and an unknown one say what to do', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions?client_name=nobody`);
    await page.getByText('No sessions in this period').waitFor();
    await page.goto(`${gateway.url}/dashboard/#/sessions/none`);
    await page.getByText('There is no such session').waitFor();
  });

  test('advice and cache misses lead to the requests that show them', async () => {
    const { organizationId, projectId } = gateway.account;
    const loop = new WastefulSession({ organizationId, projectId, sessionId: 'loop' }).send();
    for (let time = 0; time < 5; time += 1) loop.call('Edit', 'a.ts', 'no such text').send();
    await gateway.database.query({
      text: 'SELECT request_log_store($1)',
      values: [JSON.stringify(loop.end())],
    });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Savings' }).click();
    await page.getByLabel('Kind').selectOption('Runaway loops');
    await page.waitForURL(/kind=runaway_loop/);
    const finding = page.getByRole('group', { name: 'Advice' }).locator('tbody tr');
    await finding.getByText('Runaway loops').waitFor();
    assert.match(await finding.innerText(), /session loop/);
    assert.deepEqual(await inspect(page, 'savings'), []);
    await finding.getByRole('link', { name: '1: request req_loop_1' }).click();
    await page.getByRole('heading', { name: 'Bill' }).waitFor();
    await page.goBack();
    await page.getByRole('tab', { name: 'Cache misses' }).click();
    const miss = page.getByRole('group', { name: 'Cache misses by reason' }).locator('tbody tr');
    await miss.getByRole('link', { name: 'default' }).waitFor();
    assert.match(await miss.innerText(), /^idle\s+default\s+1\s+1\s+1,200\s+\$0\.0025$/);
    assert.deepEqual(await inspect(page, 'savings-misses'), []);
    await miss.getByRole('link', { name: `1: request ${dearest}` }).click();
    await page.getByRole('heading', { name: 'Bill' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('in both colour schemes and at every width nothing is wrong with the list and the tree', async () => {
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions`);
    await page.getByRole('link', { name: 'deep', exact: true }).waitFor();
    assert.deepEqual(await inspect(page, 'sessions'), []);
    await page.getByRole('link', { name: 'deep', exact: true }).click();
    await page.getByRole('treegrid').waitFor();
    assert.deepEqual(await findMisaligned(page, '.tree-space > .tree-row'), []);
    assert.deepEqual(await inspect(page, 'session'), []);
    assert.deepEqual(faults, []);
  });
});

/** A small session and a deep one, whose reader costs most; returns that request. */
async function runSessions(gateway: InProcessGateway): Promise<string> {
  const send = async (
    session: string,
    headers: Record<string, string>,
    maxTokens: number,
  ): Promise<string> => {
    const answer = await gateway.post(CHAT, ask(maxTokens), {
      'x-gateway-client': 'my-agent/2.0',
      'x-gateway-session': session,
      ...headers,
    });
    await answer.text();
    return answer.headers.get('x-request-id') ?? '';
  };
  const [search, reader] = [
    { 'x-gateway-agent': 'search' },
    { 'x-gateway-agent': 'reader', 'x-gateway-parent-agent': 'search' },
  ];
  await send('small', {}, 8);
  for (const turn of ['t1', 't1', 't2']) await send('deep', { 'x-gateway-turn': turn }, 8);
  await send('deep', search, 8);
  const { directory } = gateway.accounts;
  const { projectId } = gateway.account;
  const { secret } = await directory.createKey({ projectId, label: 'empty', limit: 1n });
  for (let turn = 0; turn < REFUSED; turn += 1) await send('deep', { authorization: `Bearer ${secret}` }, 8);
  const dearest = await send('deep', reader, 8);
  await gateway.database.query({
    text: `UPDATE request_log SET customer_cost = customer_cost * 40, cache_miss = $2, miss_reason = 'idle' WHERE request_id = $1`,
    values: [dearest, JSON.stringify(MISS)],
  });
  return dearest;
}

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, keepPrices, openInProcess } from '../../test/support/in-process.ts';
import { until } from '../../test/support/until.ts';
import { answer } from '../../test/support/upstream-replies.ts';
import { countDay, fillDay } from './day.ts';
import { BODIES, type Said } from './conversations.ts';
import { findViolations, inspect, noBrowser, openTab } from './browser.ts';

const USD = 1_000_000_000_000n;
const CHAT = '/v1/chat/completions';
const ask = (model: string) => ({ model, max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] });
const SAID: Said = {
  system: 'You are brief.',
  question: 'What is the weather in Oslo?',
  thinking: '',
  answer: 'I look.',
  tool: 'weather',
  description: 'The weather of a city',
  input: '{"city":"Oslo"}',
  result: "It's raining",
};
const SCREENS = [
  ['now', '#/', 'Now'],
  ['requests', '#/requests', 'Requests'],
  ['access', '#/access', 'Access'],
] as const;

describe('the dashboard in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    await keepPrices(gateway.database, gateway.catalogue); // as at a start
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('a one-time link opens it, and it turns green as the first request ends', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByText('No requests yet').waitFor();
    assert.match(page.url(), /\/dashboard\/#\/$/, 'the secret is no longer in the address');
    assert.match(await page.locator('pre').innerText(), /ANTHROPIC_BASE_URL=http/);
    const usual = page.viewportSize() ?? assert.fail('no size');
    await page.setViewportSize({ width: 390, height: 844 });
    const words = page.getByText('Point an agent here');
    const { x, width } = (await words.boundingBox()) ?? assert.fail('not shown');
    assert.ok(x + width <= 390, 'no word is out of sight');
    await page.setViewportSize(usual);
    assert.equal((await gateway.post(CHAT, ask('chat-model'))).status, 200);
    await page.getByText('The first request has arrived').waitFor();
    await page.getByRole('link', { name: 'See what it cost and why' }).click();
    await page.getByRole('heading', { name: 'Bill' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('a session that is ended in use leads back to the sign-in, where an admin key works', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    const { directory } = gateway.accounts;
    const sessions = await directory.listDashboardSessions({});
    for (const { id } of sessions) await directory.endDashboardSession(id);
    await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
    const { secret } = await directory.createAdminKey({ label: 'browser' });
    await page.getByLabel('Or an admin key').fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
  });

  test('thousands of requests are listed page by page, with few of them in the document', async () => {
    await fillDay(gateway);
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Requests' }).click();
    const list = page.locator('.rows', { has: page.getByRole('grid', { name: 'Requests, newest first' }) });
    await list.getByRole('row').nth(1).waitFor();
    const heightOf = (): Promise<number> => list.evaluate(({ scrollHeight }) => scrollHeight);
    const first = await heightOf();
    for (let pages = 0; pages < 3; pages += 1) {
      const before = await heightOf();
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await until('the next page is loaded', async () => (await heightOf()) > before);
    }
    assert.ok((await heightOf()) >= 3 * first, 'four pages are loaded');
    assert.ok((await list.getByRole('row').count()) < 100, 'only rows in sight are in the document');
    const placeOf = (): Promise<number> => list.evaluate(({ scrollTop }) => scrollTop);
    const place = await placeOf();
    await list.getByRole('row').last().dispatchEvent('click');
    await page.getByRole('heading', { name: 'Bill' }).waitFor();
    await page.goBack();
    await until('the list is where it was left', async () => (await placeOf()) === place);
    assert.deepEqual(faults, []);
  });

  test('other groups of usage replace those that are shown, of which none stays', async () => {
    await gateway.post(CHAT, ask('chat-model'));
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('group', { name: 'Usage by model' }).getByText('chat-model').waitFor();
    const read = Promise.withResolvers<null>();
    await page.route(/\/usage\?by=finish&/, (route) => read.promise.then(() => route.continue()));
    await page.getByLabel('Group by').selectOption('ending');
    await page.getByText('Loading groups').waitFor();
    read.resolve(null);
    const endings = page.getByRole('group', { name: 'Usage by ending' });
    await endings.getByRole('link', { name: 'Completed' }).waitFor();
    assert.equal(await endings.getByText('no ending').count(), 0);
    assert.deepEqual(faults, []);
  });

  test('the count of errors leads to the requests that failed', async () => {
    await (await gateway.post(CHAT, ask('chat-model'))).text();
    await gateway.post(CHAT, ask('no-such-failed'));
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('link', { name: /failed: list them$/ }).click();
    await page.getByRole('button', { name: 'Change filter Ended: Any error' }).waitFor();
    const list = page.getByRole('grid', { name: 'Requests, newest first' });
    await list.getByRole('row', { name: /no-such-failed/ }).waitFor();
    assert.equal(await list.getByRole('row', { name: /Completed|Tool calls/ }).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('the sums of groups are saved as CSV with every digit, and the names of their ids', async () => {
    await (await gateway.post(CHAT, ask('chat-model'))).text();
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByLabel('Group by').selectOption('key');
    const keys = page.getByRole('group', { name: 'Usage by key' });
    const named = keys.locator('td.name', { has: page.locator('.quiet') }).first();
    const [name, id] = (await named.innerText()).split(/\n+/);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await saved;
    assert.equal(file.suggestedFilename(), 'usage-by-key.csv');
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.equal(
      head,
      'key,name,requests,cost,fresh_tokens,cached_tokens,cache_write_tokens,output_tokens,reasoning_tokens',
    );
    const line = lines.find((one) => one.startsWith(`${id},${name},`)) ?? assert.fail(lines.join('\n'));
    assert.match(line, /,\d+,\d[\d.]*,\d+,\d+,\d+,\d+,\d+$/);
    assert.equal(lines.length, await keys.locator('tbody tr').count());
    assert.deepEqual(faults, []);
  });

  test('requests appear as they end; a lost connection is seen, and what came meanwhile is shown', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests?finish_reason=client_error`);
    const mark = page.getByRole('status');
    await mark.getByText('Live', { exact: true }).waitFor();
    const list = page.getByRole('grid', { name: 'Requests, newest first' });
    await gateway.post(CHAT, ask('gemini-model'));
    await gateway.post(CHAT, ask('no-such-first'));
    await list.getByRole('row', { name: /no-such-first/ }).waitFor();
    assert.equal(
      await list.getByRole('row', { name: /gemini-model/ }).count(),
      0,
      'it does not fit the filter',
    );
    gateway.setDraining(true);
    await mark.getByText('Connection lost').waitFor();
    await gateway.post(CHAT, ask('no-such-second'));
    gateway.setDraining(false);
    await mark.getByText('Live', { exact: true }).waitFor();
    await list.getByRole('row', { name: /no-such-second/ }).waitFor();
    await page.getByRole('link', { name: 'Now' }).click();
    await mark.getByText('Live', { exact: true }).waitFor();
    const shown = page.getByText(/^[\d,]+ requests$/);
    const isCount = async (count: number): Promise<boolean> =>
      Number((await shown.innerText()).replace(/\D/g, '')) === count;
    const count = await countDay(gateway);
    await until('the sums are read', () => isCount(count));
    await gateway.post(CHAT, ask('no-such-third'));
    await until('it is counted, too', () => isCount(count + 1));
    assert.deepEqual(faults, []);
  });

  test('what was said is read, copied as curl without a key, and goes on in the playground', async () => {
    const { account, upstream, accounts } = gateway;
    await accounts.directory.updateProject(account.projectId, { payloadDays: 30 });
    upstream.script({
      reply: answer({
        text: 'It rains in Oslo.',
        reasoning: 'The tool said rain.',
        chunks: 3,
        toolCalls: [{ id: 'call_2', name: 'weather', input: { city: 'Bergen' } }],
      }),
    });
    const { path, request } = BODIES.messages(SAID, 'messages-model');
    const response = await gateway.post(path, { ...request, stream: true });
    await response.text();
    await using tab = await openTab(gateway, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests/${response.headers.get('x-request-id')}`);
    const said = page.getByRole('region', { name: 'Conversation' });
    await said.getByRole('group', { name: 'Answer' }).getByText('It rains in Oslo.').waitFor();
    await said.getByRole('region', { name: 'Response headers' }).getByText('x-gateway-attempts').waitFor();
    await said.getByRole('img', { name: 'In the conversation' }).waitFor();
    await said.getByText('Thinking').click();
    await said.getByText('The tool said rain.').waitFor();
    assert.deepEqual(await findViolations(page), []);
    await said.getByRole('button', { name: 'Copy as curl' }).click();
    await said.getByRole('button', { name: 'Copied' }).waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(command, /^curl -N 'http:\/\/[^']+\/v1\/messages' /);
    assert.match(command, /Bearer \$SLUICE_API_KEY/);
    assert.ok(!command.includes(gateway.apiKey));
    const env = { PATH: process.env['PATH'], SLUICE_API_KEY: gateway.apiKey };
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`], { env });
    assert.match(stdout, /It .*message_stop/s);
    await said.getByRole('link', { name: 'Open in playground' }).click();
    await page.getByText(/after 3 earlier messages/).waitFor();
    await page.getByLabel('Or paste an API key').fill(gateway.apiKey);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('region', { name: 'messages-model' }).getByText('It rains in Oslo.').waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(faults, []);
    await assertShared(page.url());
  });

  /** A link to a question is good for people of the same organization. */
  async function assertShared(link: string): Promise<void> {
    const { organizationId } = gateway.account;
    await using colleague = await openTab(gateway, {}, { organizationId });
    await colleague.page.goto(link);
    await colleague.page.getByText(/after 3 earlier messages/).waitFor();
    const { organizationId: foreign } = await gateway.createAccount();
    await using stranger = await openTab(gateway, {}, { organizationId: foreign });
    await stranger.page.goto(link);
    await stranger.page.getByText(/^The request req_\w+ cannot be continued$/).waitFor();
    await stranger.page.getByText(/there is no such request/i).waitFor();
  }

  test('in both colour schemes and at every width nothing is wrong with any screen, and the policy blocks nothing', async () => {
    await gateway.post(CHAT, ask('chat-model'));
    await gateway.post(CHAT, ask('no-such-model'));
    const { projectId } = gateway.account;
    const [limit, amount] = [25n * USD, 5n * USD];
    await gateway.accounts.directory.createKey({
      projectId,
      label: 'nightly tests',
      limit,
      recurringLimit: { amount, period: 'day' },
    });
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page, faults } = tab;
    for (const [name, place, heading] of SCREENS) {
      await page.goto(`${gateway.url}/dashboard/${place}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await until('all is loaded', async () => (await page.getByText(/^Loading /).count()) === 0);
      assert.deepEqual(await inspect(page, name), []);
    }
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await page
      .getByRole('link', { name: /messages-model/ })
      .first()
      .click();
    await page.getByRole('group', { name: 'Answer' }).waitFor();
    assert.deepEqual(await inspect(page, 'request'), []);
    assert.deepEqual(faults, []);
  });

  test('pages, models and requests are reached by the keyboard alone', async () => {
    const response = await gateway.post(CHAT, ask('chat-model'));
    const id = response.headers.get('x-request-id') ?? '';
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByLabel('A page, a model, a key, a request or a session');
    await search.fill('access');
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Access', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await search.fill(id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Bill' }).waitFor();
    assert.ok(page.url().endsWith(id));
    await page.keyboard.press('Control+k');
    await search.fill('gemini-model');
    await page.getByRole('option', { name: /^gemini-model model/ }).waitFor();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  test('on a small screen the pages are in a menu', async () => {
    await using tab = await openTab(gateway, { viewport: { width: 360, height: 740 } });
    const { page } = tab;
    await page.getByRole('button', { name: /Now$/ }).click();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
  });
});

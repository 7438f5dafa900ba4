import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, keepPrices, openInProcess } from '../../test/support/in-process.ts';
import { TwoProviders } from '../../test/support/two-providers.ts';
import { answer, cutAfter, fail, hang } from '../../test/support/upstream-replies.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';

const HELLO = [{ role: 'user', content: 'hello' }];

describe('a request of several providers in a browser', { skip: noBrowser }, () => {
  let providers: TwoProviders;
  let gateway: InProcessGateway;
  before(async () => {
    providers = await TwoProviders.start();
    // Both ask the same for the last model.
    const config = providers.config.replace(/(shared-39,.*input: )"2"/, '$1"1"');
    gateway = await openInProcess({ config });
    await keepPrices(gateway.database, gateway.catalogue);
    const { projectId } = gateway.account;
    await gateway.accounts.directory.updateProject(projectId, { continue: true });
    await gateway.accounts.directory.updateProject(projectId, { payloadDays: 1 });
  });
  after(async () => {
    await gateway[Symbol.asyncDispose]();
    await providers[Symbol.asyncDispose]();
  });

  async function ask(body: object, headers: Record<string, string> = {}): Promise<string> {
    const given = { model: providers.takeShared(), max_tokens: 64, messages: HELLO, ...body };
    const response = await gateway.post('/v1/chat/completions', given, headers);
    await response.text();
    return `${gateway.url}/dashboard/#/requests/${response.headers.get('x-request-id') ?? ''}`;
  }

  const listCells = (page: Page, name: string): Promise<string[]> =>
    page.getByRole('region', { name }).locator('tbody tr').allInnerTexts();

  test('an answer that another provider continued shows when its first token came, and what each provider billed', async () => {
    providers.script(cutAfter(4, { text: 'The first begins it.', chunks: 8 }), answer({ text: ' Done.' }));
    const address = await ask({ stream: true });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(address);
    await page.getByRole('cell', { name: 'Total' }).waitFor();
    const [cut = '', rest = ''] = await listCells(page, 'Attempts');
    assert.match(cut, /^first\s.*answer broke off \(200\)[\s\S]*first token in/);
    assert.match(rest, /^second\s.*goes on with a cut answer\tanswered \(200\)/);
    assert.doesNotMatch(rest, /first token/, 'the client had it before');
    const parts = (await listCells(page, 'Bill')).map((line) => line.split('\t')[0]);
    assert.deepEqual(parts, [
      'first: Input tokens',
      'first: Output tokens',
      'second: Input tokens',
      'second: Output tokens',
      'Total',
    ]);
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(faults, []);
  });

  test('what each provider billed is shown if their prices are the same, too', async () => {
    providers.script(cutAfter(4, { text: 'The first begins it.', chunks: 8 }), answer({ text: ' Done.' }));
    const order = ['first', 'second'];
    const address = await ask({ model: 'shared-39', stream: true, provider: { order } });
    await using tab = await openTab(gateway);
    await tab.page.goto(address);
    await tab.page.getByRole('cell', { name: 'Total' }).waitFor();
    const parts = (await listCells(tab.page, 'Bill')).map((line) => line.split(/[:\t]/)[0]);
    assert.deepEqual(parts, ['first', 'first', 'second', 'second', 'Total']);
  });

  test('what a failed call cost the operator is named after its provider', async () => {
    providers.script(hang(), answer({ text: 'instead' }));
    const address = await gateway.impatiently(() => ask({ stream: true }));
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(address);
    await page.getByRole('cell', { name: 'Charged' }).waitFor();
    const lines = await listCells(page, 'Bill');
    assert.ok(lines.some((line) => line.startsWith('first: Input tokens')));
    await page.getByText(/calls of which nothing was delivered/).waitFor();
    await page.getByText('the one before failed').waitFor();
  });

  test('a request that was refused before it was read has a title, and nothing to send again', async () => {
    const { directory } = gateway.accounts;
    const { organizationId, projectId } = gateway.account;
    const member = { organizationId, name: 'Vera', role: 'viewer' } as const;
    const { id: memberId } = await directory.addMember(member);
    const { secret } = await directory.createKey({ projectId, label: 'of Vera', memberId });
    const address = await ask({}, { authorization: `Bearer ${secret}` });
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(address);
    await page.getByRole('heading', { name: 'Request: Role does not allow it' }).waitFor();
    await page.getByText('It was refused before its body was read.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Copy as curl' }).count(), 0);
    await page.goto(`${gateway.url}/dashboard/#/requests`);
    await page.getByRole('row', { name: /– – Role does not allow it/ }).waitFor();
  });

  test('a text has the direction of its language, and JSON the lines of its structure', async () => {
    const deep = JSON.parse(`${'{"level":'.repeat(40)}"the end"${'}'.repeat(40)}`) as unknown;
    const called = { name: 'look', arguments: JSON.stringify(deep) };
    const call = { id: 'c1', type: 'function', function: called };
    providers.script(answer({ text: 'مرحبا بالعالم, hello', chunks: 2 }));
    const address = await ask({
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
      messages: [
        ...HELLO,
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: JSON.stringify(deep) },
      ],
    });
    await using tab = await openTab(gateway, { viewport: { width: 390, height: 844 } });
    const { page, faults } = tab;
    await page.goto(address);
    const text = page.getByRole('group', { name: 'Answer' }).getByText('مرحبا');
    await text.waitFor();
    assert.equal(await text.evaluate((node) => getComputedStyle(node).direction), 'rtl');
    const blocks = page.getByRole('group', { name: 'Conversation' }).locator('pre');
    assert.equal(await blocks.count(), 2, 'the call and its result');
    for (const block of await blocks.all()) {
      assert.match(await block.innerText(), /^\{\n {2}"level": \{\n[\s\S]*"the end"/);
      const lines = await block.evaluate((node) => [node.scrollWidth > node.clientWidth, node.tabIndex]);
      assert.deepEqual(lines, [true, 0], 'it scrolls in itself, by keys, too');
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(faults, []);
  });

  test('names of 200 characters break, and cut nothing off', async () => {
    const { directory } = gateway.accounts;
    const { projectId } = gateway.account;
    const label = 'x'.repeat(200);
    const { secret } = await directory.createKey({ projectId, label });
    providers.script(fail(400, 'invalid_request_error', { message: 'no' }));
    const address = await ask({ user: 'u'.repeat(200) }, { authorization: `Bearer ${secret}` });
    await using tab = await openTab(gateway, { viewport: { width: 390, height: 844 } });
    const { page } = tab;
    await page.goto(address);
    await page.getByRole('link', { name: label }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });
});

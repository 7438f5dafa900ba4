import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, keepPrices, openInProcess } from '../../test/support/in-process.ts';
import { findViolations, inspect, noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ask = (model: string) => ({ model, max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] });

describe('requests in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    await keepPrices(gateway.database, gateway.catalogue);
  });
  after(() => gateway[Symbol.asyncDispose]());

  async function send(model: string, headers: Record<string, string> = {}): Promise<string> {
    const answer = await gateway.post(CHAT, ask(model), headers);
    await answer.text();
    return answer.headers.get('x-request-id') ?? '';
  }

  test('the bill has the count, the price and the amount of each part, which add up to the total', async () => {
    const id = await send('chat-model');
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests/${id}`);
    const bill = page.getByRole('region', { name: 'Bill' });
    await bill.getByText(/^Prices of version \w+\.$/).waitFor();
    const rows = await bill.getByRole('row').allInnerTexts();
    assert.deepEqual(rows, [
      'Part\tCount\tPrice\tAmount',
      'Input tokens\t21\t$3.00 per million\t$0.000063',
      'Output tokens\t8\t$15.00 per million\t$0.00012',
      'Total\t$0.000183',
    ]);
    assert.deepEqual(faults, []);
  });

  test('the sender of a request is named, and links to its page or its other requests', async () => {
    const { directory } = gateway.accounts;
    const { organizationId, projectId } = gateway.account;
    const { id: memberId } = await directory.addMember({
      organizationId,
      name: 'Ada Lovelace',
      role: 'viewer',
    });
    const { secret } = await directory.createKey({ projectId, label: 'of Ada', memberId });
    const id = await send('chat-model', {
      authorization: `Bearer ${secret}`,
      'x-gateway-agent': 'helper',
      'x-gateway-tags': 'team=red',
    });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const open = () => page.goto(`${gateway.url}/dashboard/#/requests/${id}`);
    const facts = page.getByRole('region', { name: 'Facts' });
    for (const name of ['of Ada', 'Ada Lovelace', 'default']) {
      await open();
      await facts.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 2 }).waitFor();
    }
    await open();
    await facts.getByText(memberId).waitFor();
    await facts.getByRole('link', { name: 'Acme' }).click();
    await page.getByRole('heading', { name: 'Access' }).waitFor();
    for (const name of ['helper', 'team=red']) {
      await open();
      await facts.getByRole('link', { name, exact: true }).click();
      await page.getByRole('grid', { name: 'Requests, newest first' }).getByRole('row').nth(1).waitFor();
    }
    assert.deepEqual(faults, []);
  });

  test('nothing on the page of a request moves while its bill and what was said load', async () => {
    const { projectId } = gateway.account;
    await gateway.accounts.directory.updateProject(projectId, { payloadDays: 1 });
    const id = await send('chat-model');
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const placesOf = async (): Promise<unknown[]> =>
      Promise.all(['Attempts', 'Bill', 'Facts', 'Conversation'].map(placeOf));
    const placeOf = async (name: string): Promise<unknown> =>
      (await page.getByRole('region', { name, exact: true }).boundingBox())?.y;
    const [bill, payload] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
    await page.route(/\/bill$/, (route) => bill.promise.then(() => route.continue()));
    await page.route(/\/payload$/, (route) => payload.promise.then(() => route.continue()));
    await page.goto(`${gateway.url}/dashboard/#/requests/${id}`);
    await page.getByText('Loading the request').waitFor();
    bill.resolve(null);
    await page.getByText('Loading the conversation').waitFor();
    await page.getByRole('cell', { name: 'Total' }).waitFor();
    await page.getByRole('heading', { name: 'Conversation' }).waitFor();
    const before = await placesOf();
    payload.resolve(null);
    await page.getByRole('group', { name: 'Answer' }).waitFor();
    assert.deepEqual(await placesOf(), before);
    assert.deepEqual(faults, []);
  });

  test('an error is said in words, with its code for pointing at and on the page of the request', async () => {
    await send('no-such-words');
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests?finish_reason=client_error`);
    await page.getByRole('button', { name: 'Change filter Ended: Refused' }).waitFor();
    const end = page.getByTitle('Model not found (client_error, model_not_found)').first();
    assert.equal(await end.innerText(), 'Model not found');
    await end.click();
    await page.getByRole('heading', { name: 'no-such-words: Model not found' }).waitFor();
    await page.getByText('client_error, model_not_found, status 404').waitFor();
  });

  test('amounts of a bill have every digit, so that they add up to the total', async () => {
    const answer = await gateway.post('/v1/embeddings', { model: 'cohere-embed', input: 'hello' });
    await answer.text();
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests/${answer.headers.get('x-request-id') ?? ''}`);
    const bill = page.getByRole('region', { name: 'Bill' });
    await bill.getByText('Total').waitFor();
    const [, line, total] = await bill.getByRole('row').allInnerTexts();
    assert.equal(line, 'Input tokens\t4\t$0.12 per million\t$0.00000048');
    assert.equal(total, 'Total\t$0.00000048');
  });

  test('columns are chosen, and kept for the next visit', async () => {
    await send('chat-model', { 'x-gateway-client': 'my-agent/2.0', 'x-gateway-tags': 'team=red' });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests`);
    const head = page.locator('.row-head');
    assert.deepEqual((await head.innerText()).split('\n'), [
      'Started',
      'Key',
      'Model',
      'Provider',
      'Ended',
      'Input tokens',
      'Output tokens',
      'Cost',
      'Took',
    ]);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Endpoint').check();
    await page.getByLabel('Took').uncheck();
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Escape');
    await page.reload();
    await head.getByText('Endpoint').waitFor();
    assert.equal(await head.getByText('Took').count(), 0);
    await page
      .getByRole('link', { name: /\/v1\/chat\/completions/ })
      .first()
      .waitFor();
    assert.deepEqual(faults, []);
  });

  test('the list names keys, members, projects and organizations, with one call for all rows', async () => {
    const { directory } = gateway.accounts;
    const { organizationId, projectId } = gateway.account;
    const { id: memberId } = await directory.addMember({ organizationId, name: 'Grace', role: 'member' });
    const ids = await Promise.all(
      ['first', 'second', 'third'].map(async (label) => {
        const { secret, key } = await directory.createKey({ projectId, label, memberId });
        await send('named-model', { authorization: `Bearer ${secret}` });
        return key.id;
      }),
    );
    await directory.deleteKey(ids[2] ?? '');
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.evaluate(() =>
      localStorage.setItem('sluice-request-columns', '"model,key,member,project,organization"'),
    );
    const calls: URL[] = [];
    page.on('request', (request) => calls.push(new URL(request.url())));
    await page.goto(`${gateway.url}/dashboard/#/requests?model=named-model`);
    const list = page.getByRole('grid', { name: 'Requests, newest first' });
    for (const [index, label] of ['first', 'second', 'third (removed)'].entries())
      await list
        .getByRole('row', { name: `${label} named-model Grace default Acme` })
        .filter({ has: page.getByTitle(`${label} (${ids[index]})`) })
        .waitFor();
    // Lists of all are what Now reads, which was shown before.
    const asked = calls.filter(({ pathname }) =>
      /\/(?:names$|(?:keys|members|projects|organizations)\/)/.test(pathname),
    );
    assert.deepEqual([...new Set(asked.map(({ pathname }) => pathname))], ['/admin/v1/names']);
    // A row that is written a moment later is asked about with the others once more.
    const named = asked.at(-1)?.searchParams.get('ids')?.split(',').toSorted();
    assert.deepEqual(named, [...ids, memberId, projectId, organizationId].toSorted());
    assert.deepEqual(faults, []);
  });

  test('filters are added by the keyboard with the names of keys, are in the address, and are removed', async () => {
    const { directory } = gateway.accounts;
    const { secret, key } = await directory.createKey({
      projectId: gateway.account.projectId,
      label: 'nightly',
    });
    await send('no-such-filter', { authorization: `Bearer ${secret}` });
    await send('chat-model');
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests`);
    const list = page.getByRole('grid', { name: 'Requests, newest first' });
    await list
      .getByRole('row', { name: /chat-model/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Add filter' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Key', exact: true }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole('menuitem', { name: 'Key', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('form', { name: 'Filter Key' }).waitFor();
    await page.keyboard.type('nightl');
    await page.getByRole('option', { name: `nightly (${key.id})` }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`key_id=${key.id}`));
    const chip = page.getByRole('button', { name: 'Change filter Key: nightly' });
    await chip.waitFor();
    await list.getByRole('row', { name: /no-such-filter/ }).waitFor();
    assert.equal(await list.getByRole('row').count(), 2, 'only its request is listed below the heads');
    await page.getByLabel('Time').selectOption('Last hour');
    await page.waitForURL(/range=hour/);
    assert.deepEqual(await findViolations(page), []);
    await page.reload();
    await chip.focus();
    await page.keyboard.press('Delete');
    await page.waitForURL((url) => !url.href.includes('key_id'));
    assert.match(page.url(), /range=hour/);
    await list
      .getByRole('row', { name: /chat-model/ })
      .first()
      .waitFor();
    await page.getByLabel('Time').selectOption('From – to');
    await page.getByLabel('To', { exact: true }).fill('2020-01-31T10:30');
    await page.keyboard.press('Enter');
    await page.waitForURL(/until=2020-01-31/);
    await page.getByText('No matching requests').waitFor();
    assert.deepEqual(faults, []);
  });

  test('all requests that fit the filters are saved, with every member of a row', async () => {
    const named = { 'x-gateway-client': 'my-agent/2.0', 'x-gateway-agent': 'search' };
    for (let count = 0; count < 120; count += 1) await send('=no,"such"', named);
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests?finish_reason=client_error&model==no,"such"`);
    const save = async (name: string): Promise<string[]> => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name }).click();
      return readFileSync(await (await saved).path(), 'utf8')
        .trim()
        .split(/\r?\n/);
    };
    const [head = '', ...lines] = await save('Save as CSV');
    await page.getByText('120 requests saved').waitFor();
    const columns = head.split(',');
    for (const name of ['agent_id', 'member_id', 'input_cache_read', 'output_reasoning', 'tags'])
      assert.ok(columns.includes(name), name);
    assert.equal(lines.length, 120);
    assert.match(lines[0] ?? '', /,"'=no,""such""",/);
    assert.match(lines[0] ?? '', /,my-agent,2\.0,.*,search,/);
    const rows = (await save('Save as NDJSON')).map((line) => JSON.parse(line) as { id: string });
    assert.equal(new Set(rows.map(({ id }) => id)).size, 120);
    assert.deepEqual(faults, []);
  });

  test('on a small screen a request has two lines and a button opens the filters', async () => {
    await send('chat-model');
    await using tab = await openTab(gateway, { viewport: { width: 390, height: 844 } });
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests?finish_reason=completed`);
    const first = page
      .getByRole('grid', { name: 'Requests, newest first' })
      .getByRole('row', { name: /chat-model/ })
      .first();
    await first.waitFor();
    assert.match(await first.innerText(), /^[\d-]+ [\d:]+\s+chat-model\s+mock-chat\s+\$[\d.]+\s+Completed$/);
    const boxes = await first
      .locator('.row-line > span')
      .evaluateAll((cells) => cells.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
    assert.deepEqual(boxes, [0, 0, 0, 0, 0], 'nothing is cut');
    assert.equal(await page.getByRole('button', { name: 'Add filter' }).count(), 0);
    await page.getByRole('button', { name: 'Filters (1)' }).click();
    await page.getByRole('button', { name: 'Add filter' }).waitFor();
    assert.deepEqual(await inspect(page, 'filters', { hasPicture: false }), []);
    assert.deepEqual(faults, []);
  });
});

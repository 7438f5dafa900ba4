import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { findViolations, noBrowser, openSignedOut, openTab } from './browser.ts';

const API = /\/admin\/v1\//;
const SILENT = 'The gateway does not answer.';

const ASK = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

/** As a browser does when somebody comes back to its window. */
const readAgain = (page: Page): Promise<unknown> =>
  page.evaluate(() => globalThis.dispatchEvent(new Event('visibilitychange')));

/** How often a page reads again, and how long it has time to show what it read. */
const MOST_READS = 30;
const SHOWN_WITHIN_MS = 2_000;

/** Reads again until something is shown, or is not: a read that was under way may have come too early for it. */
async function readUntil(page: Page, text: RegExp, isShown = true): Promise<void> {
  const found = page.getByText(text).first();
  for (let reads = 1; ; reads += 1) {
    await readAgain(page);
    try {
      await found.waitFor({ state: isShown ? 'visible' : 'hidden', timeout: SHOWN_WITHIN_MS });
      return;
    } catch (error) {
      if (reads === MOST_READS) throw error;
    }
  }
}

/** Presses the button and waits for what it asks. The gateway must still be silent: once it answers, the button goes. */
async function tryAgain(page: Page, asked: RegExp): Promise<void> {
  const request = page.waitForRequest(asked);
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await request;
}

const OLD = /what is shown may be old/;

describe('failures in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('a page tries again until the gateway answers, without being asked to', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.route(API, (route) => route.abort());
    await page.getByRole('link', { name: 'Savings' }).click();
    await page.getByText(SILENT).waitFor();
    await page.unroute(API);
    await page.getByText('No savings found').waitFor();
    assert.equal(await page.getByText(SILENT).count(), 0);
  });

  test('sums that cannot be read again stay, with the filters that choose others', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    const usage = /\/admin\/v1\/usage/;
    await page.getByText('0 requests', { exact: true }).waitFor();
    await page.route(usage, (route) =>
      route.fulfill({ status: 400, json: { error: { message: 'not now' } } }),
    );
    await gateway.post('/v1/chat/completions', { model: 'no-such-model', messages: [] });
    await readUntil(page, /not now/i);
    // A read that was under way before may have counted the request.
    await page.getByText(/^(?:0 requests|1 request)$/).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await tryAgain(page, usage);
    await page.unroute(usage);
    await readUntil(page, /^1 request$/);
    await page.route(usage, (route) =>
      route.fulfill({ status: 400, json: { error: { message: 'not now' } } }),
    );
    await page.getByLabel('Period', { exact: true }).selectOption('Last 7 days');
    await page.getByText('not now').waitFor();
    await page.unroute(usage);
    await page.getByLabel('Period', { exact: true }).selectOption('Last 30 days');
    await page.getByRole('heading', { name: 'By day' }).waitFor();
  });

  test('what was read of any page stays while it cannot be read again, and says that it may be old', async () => {
    const { organizationId, keyId } = gateway.account;
    await gateway.post('/v1/chat/completions', ASK, { 'x-gateway-session': 'kept' });
    await using tab = await openTab(gateway);
    const { page } = tab;
    // Each with a text that the place before it does not have.
    for (const [place, shown] of [
      ['operations?part=state', 'Running since'],
      ['operations?part=providers', 'Provider health'],
      ['sessions', 'kept'],
      ['sessions/kept', 'Agents and turns'],
      [`access?organization=${organizationId}&open=${keyId}`, 'Total spent'],
    ] as const) {
      await page.goto(`${gateway.url}/dashboard/#/${place}`);
      await page.getByText(shown).first().waitFor();
      await page.route(API, (route) =>
        route.fulfill({ status: 400, json: { error: { message: 'not now' } } }),
      );
      await readUntil(page, OLD);
      await page.getByText(shown).first().waitFor();
      await tryAgain(page, API);
      await page.unroute(API);
      await readUntil(page, OLD, false);
    }
  });

  test('the state of the gateway is called old before all tries to read it again have failed', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations?part=state`);
    await page.getByText('Running since').waitFor();
    let tries = 0;
    await page.route(API, (route) => {
      if (route.request().url().endsWith('/status')) tries += 1;
      return route.fulfill({ status: 503, json: { error: { message: 'no database' } } });
    });
    await page.getByText('no database').waitFor();
    assert.equal(tries, 2);
  });

  test('a list says that it is old before all tries to read it again have failed', async () => {
    const { organizationId } = gateway.account;
    await gateway.post('/v1/chat/completions', ASK, { 'x-gateway-session': 'listed' });
    await using tab = await openTab(gateway);
    const { page } = tab;
    const lists = [
      ['requests?live=false', /\/logs\?(?!limit=1$)/, 'chat-model'], // not the latest one, which the first page reads
      ['sessions', /\/sessions\?/, 'listed'],
      [`access?organization=${organizationId}`, /\/keys\?/, 'test key'],
      ['operations?part=audit', /\/audit_logs\?/, 'Key created'],
    ] as const;
    for (const [place, list, shown] of lists) {
      const read = page.waitForResponse(list);
      await page.goto(`${gateway.url}/dashboard/#/${place}`);
      await read; // what is shown may also be on the page before
      await page.getByText(shown).first().waitFor();
      const gate = Promise.withResolvers<null>();
      let tries = 0;
      await page.route(list, async (route) => {
        tries += 1;
        if (tries > 2) await gate.promise;
        await route.abort();
      });
      await readUntil(page, OLD);
      gate.resolve(null);
      await page.unroute(list);
    }
  });

  test('a gateway on the same machine is read while the browser has no network', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.evaluate(() => globalThis.dispatchEvent(new Event('offline')));
    await page.getByRole('link', { name: 'Savings' }).click();
    await page.getByText('No savings found').waitFor();
  });

  test('a form keeps what is typed while the gateway does not answer', async () => {
    const { organizationId, keyId } = gateway.account;
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/access?organization=${organizationId}&open=${keyId}`);
    await page.getByRole('button', { name: 'Change: Label and limits' }).click();
    await page.getByLabel('Total limit').fill('12');
    await page.route(API, (route) => route.abort());
    await readAgain(page);
    await page
      .getByText(/what is shown may be old/)
      .first()
      .waitFor();
    assert.equal(await page.getByLabel('Total limit').inputValue(), '12');
  });

  test('a page that is not for a role says so, and leads back', async () => {
    const { organizationId } = gateway.account;
    await using tab = await openTab(gateway, {}, { organizationId, scopes: ['logs:read'] });
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations`);
    await page.getByText('Operations is not for your role').waitFor();
    await page.getByRole('link', { name: 'Back to Now' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.goto(`${gateway.url}/dashboard/#/access?part=keys`);
    await page.getByText('Not allowed').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    assert.deepEqual(await findViolations(page), []);
  });

  test('of a change that got no answer it is not said that nothing has changed', async () => {
    const { organizationId } = gateway.account;
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/access?part=members&organization=${organizationId}`);
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByLabel(/^Name/).fill('Ada');
    await page.route(API, (route) => route.abort());
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('It is not known whether this was done').waitFor();
    await page.getByText(/try again in a moment/).waitFor();
  });

  test('what does not exist is not found, and a link leads to what does', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    for (const [place, all, message] of [
      ['requests/req_none', 'All requests', 'There is no such request'],
      ['sessions/none', 'All sessions', 'There is no such session'],
      ['models/none', 'All models', 'Model not found'],
    ] as const) {
      await page.goto(`${gateway.url}/dashboard/#/${place}`);
      await page.getByText(message).waitFor();
      assert.doesNotMatch(await page.getByRole('main').innerText(), /req_|Try again/);
      await page.getByRole('link', { name: all }).waitFor();
    }
  });

  test('an address without a page says so in its heading, and leads on', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/no-such-page`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole('link', { name: 'Back to Now' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
  });

  test('an empty list of requests says whether filters or the want of requests emptied it', async () => {
    const { organizationId } = await gateway.createAccount();
    await using tab = await openTab(gateway, {}, { organizationId });
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests?model=none`);
    await page.getByText('No matching requests').waitFor();
    await page.getByRole('link', { name: 'Show all requests' }).click();
    await page.getByText('No requests yet').waitFor();
    assert.match(page.url(), /#\/requests$/);
    await page.getByRole('link', { name: 'How to send the first one' }).click();
    await page.getByText('Point an agent here').waitFor();
  });

  test('of thousands of differences of the ledger the first hundred are shown', async () => {
    const one = (index: number) => ({ what: 'key', subject: `key_${index}`, expected: '0', actual: '1' });
    const differences = Array.from({ length: 5_000 }, (_, index) => one(index));
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.route(/ledger\/check/, (route) => route.fulfill({ json: { ok: false, differences } }));
    await page.goto(`${gateway.url}/dashboard/#/operations?part=ledger`);
    await page.getByRole('button', { name: 'Check the ledger' }).click();
    await page.getByText('5,000 figures differ').waitFor();
    await page.getByText(/The first 100 are below/).waitFor();
    assert.equal(await page.getByRole('group', { name: 'Differences' }).locator('tbody tr').count(), 100);
  });

  test('a one-time link that is pasted into an open tab signs it in, and leaves the address', async () => {
    const { secret } = await gateway.accounts.directory.createDashboardSession({ label: 'pasted' });
    await using tab = await openSignedOut(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#link=${secret}`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    assert.match(page.url(), /\/dashboard\/#\/$/);
  });

  test('a link does not end the session of a browser unasked: it could be that of somebody else', async () => {
    const { directory } = gateway.accounts;
    const { id: organizationId } = await directory.createOrganization('Lurers');
    const { secret, session } = await directory.createDashboardSession({ label: 'lure', organizationId });
    await using tab = await openTab(gateway);
    const { page } = tab;
    const isUsed = async () => (await directory.getDashboardSession(session.id)).startedAt !== undefined;
    const open = async () => {
      await page.goto(`${gateway.url}/dashboard/#link=${secret}`);
      await page.getByRole('heading', { name: 'You are signed in already' }).waitFor();
      assert.match(page.url(), /\/dashboard\/#\/$/);
      assert.deepEqual(await findViolations(page), []);
    };
    await open();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    assert.equal(await isUsed(), false);
    await open();
    await page.getByRole('button', { name: 'Use the link' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    assert.equal(await isUsed(), true);
  });

  test('a sign-in that the gateway’s database is too busy for is tried again', async () => {
    const { secret } = await gateway.accounts.directory.createDashboardSession({ label: 'patient' });
    await using tab = await openSignedOut(gateway);
    const { page } = tab;
    let refusals = 0;
    await page.route('**/admin/v1/session', (route) => {
      if (route.request().method() !== 'POST' || refusals === 2) return route.continue();
      refusals += 1;
      return route.fulfill({ status: 503, json: { error: { message: 'too busy' } } });
    });
    await page.goto(`${gateway.url}/dashboard/#link=${secret}`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    assert.equal(refusals, 2);
  });
});

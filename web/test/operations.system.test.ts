import type { Page } from 'playwright-core';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { inspect, noBrowser, openTab } from './browser.ts';

const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
const PARTS = ['state', 'providers', 'exports', 'alerts', 'settings', 'ledger', 'audit'];

const DAY_MS = 86_400_000;
const now = Date.now();
const FEED = {
  record: {
    sequence: 7n,
    publishedAt: now - DAY_MS,
    checkedAt: now,
    held: { sequence: 8n, digest: 'd', reason: 'openai/gpt-x costs ten times as much.' },
    fault: { kind: 'unreachable' as const, message: 'the feed cannot be fetched', since: now },
  },
  announcements: [{ from: now + DAY_MS, priced: ['openai/gpt-x'], removed: ['acme/old'] }],
};

describe('the operations of a gateway in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess({ feed: FEED, resolveHost: async () => ['8.8.8.8'] });
    await (await gateway.post('/v1/chat/completions', ask)).text();
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('a provider is tested, and shows what calls have shown of it', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByText('connections busy').waitFor();
    await page.getByRole('tab', { name: 'Providers' }).click();
    const called = page.getByRole('group', { name: 'Provider health' }).locator('tbody tr');
    assert.match(await called.innerText(), /healthy\s+0 %/);
    const id = await called.locator('td').first().innerText();
    const row = page.getByRole('group', { name: 'Providers' }).locator('tr', { hasText: id }).first();
    await row.getByRole('button', { name: /^Test/ }).click();
    await page.getByRole('button', { name: 'Test now' }).click();
    await row.getByText(/answered in/).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: /Operations$/ }).waitFor();
    await row.getByText(/answered in/).waitFor();
    assert.deepEqual(faults, []);
  });

  test('a provider to be tried again is marked like one that fails, and leads to its requests', async () => {
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page, faults } = tab;
    await page.route(/\/admin\/v1\/providers/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('"healthy"', '"due"') });
    });
    await page.goto(`${gateway.url}/dashboard/#/operations?part=providers`);
    for (const name of ['Providers', 'Provider health'])
      await page
        .getByRole('group', { name, exact: true })
        .locator('td.failed', { hasText: 'tried again by the next request' })
        .waitFor();
    const called = page.getByRole('group', { name: 'Provider health' }).locator('tbody td').first();
    const id = await called.innerText();
    const row = page.getByRole('group', { name: 'Providers', exact: true }).locator('tr', { hasText: id });
    const gap = await row.first().evaluate((line) => {
      const range = document.createRange();
      const [figure, text] = ['td.figure', 'td.figure + td'].map((selector) => {
        range.selectNodeContents(line.querySelector(selector) ?? line);
        return range.getBoundingClientRect();
      });
      return (text?.left ?? 0) - (figure?.right ?? 0);
    });
    assert.ok(gap > 48, `a text begins ${gap} px beside a figure`);
    await row.first().getByRole('link').click();
    await page.waitForURL(new RegExp(`/requests\\?provider_id=${id}`));
    await page
      .getByRole('row', { name: new RegExp(id) })
      .first()
      .waitFor();
    assert.deepEqual(faults, []);
  });

  test('the catalogue feed shows what is in use, refused, held and announced, and the ledger its journal', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations?part=state`);
    const feed = page.getByRole('region', { name: 'Catalogue feed' });
    await feed.getByText(/^Feed 7, published .*, last checked/).waitFor();
    await feed.getByText('Refused: unreachable').waitFor();
    await feed.getByText('Feed 8 waits for you').waitFor();
    assert.match(await feed.locator('tbody tr').innerText(), /openai\/gpt-x\s+acme\/old$/);
    await page.getByText(/settlements wait for PostgreSQL, .* in the journal$/).waitFor();
  });

  test('exports and alerts show what is behind, what lasts, and what became of each', async () => {
    const { database } = gateway;
    await database.query({
      text: `INSERT INTO log_export (name, type, position, failures, failing_since, last_error)
        VALUES ('warehouse', 'clickhouse', 0, 3, now(), 'connection refused')`,
    });
    await database.query({
      text: `INSERT INTO alert_state (name, ending)
        VALUES ('export/warehouse', '{"type":"export.recovered","data":{"export":"warehouse"}}')`,
    });
    await database.query({
      text: `INSERT INTO alert_event (id, subject, type, data, attempts, delivered_at)
        VALUES ('evt_1', 'export/warehouse', 'export.failing', '{"export":"warehouse","failures":4}', 2, now())`,
    });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations?part=exports`);
    const row = page.getByRole('group', { name: 'Exports' }).locator('tbody tr');
    await row.getByText(/3 failed attempts since .*connection refused/).waitFor();
    await page.getByRole('tab', { name: 'Alerts' }).click();
    await page
      .getByRole('group', { name: 'Open now' })
      .getByText('The export warehouse has failed lately.')
      .waitFor();
    const sent = page.getByRole('group', { name: 'Latest alerts' }).locator('tbody tr');
    assert.match(
      await sent.innerText(),
      /The export warehouse has failed 4 times\.\s+Export failing\s+delivered, 2 attempts/,
    );
    assert.deepEqual(faults, []);
  });

  test('the ledger is checked, and a wrong figure is named', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations?part=ledger`);
    await page.getByRole('button', { name: 'Check the ledger' }).click();
    await page.getByText('The books agree').waitFor();
    const change = (sign: string): Promise<unknown> =>
      gateway.database.query({ text: `UPDATE request_log SET customer_cost = customer_cost ${sign} 1` });
    await change('+');
    try {
      await page.getByRole('button', { name: 'Check the ledger' }).click();
      await page.getByText(/figures? differs?/).waitFor();
    } finally {
      await change('-');
    }
  });

  test('a setting is found with where it comes from, and the address keeps the search', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations?part=settings`);
    await page.getByText('DATABASE_URL').first().waitFor();
    await page.getByRole('switch', { name: 'Include defaults' }).click();
    await page.getByLabel('Find').fill('drain');
    await page.getByRole('cell', { name: 'drainSeconds' }).waitFor();
    assert.match(page.url(), /find=drain/);
    assert.equal(await page.getByRole('group', { name: 'Settings' }).locator('tbody tr').count(), 1);
  });

  test('the audit log shows a change with its values, filtered by the address', async () => {
    const { directory } = gateway.accounts;
    await directory.createOrganization('Audited');
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations?part=audit&action=organization.created`);
    await page.getByText('name: Audited').waitFor();
    await page.getByRole('cell', { name: /^Audited org_/ }).waitFor();
    assert.equal(await page.getByText(/created at|T\d\d:/).count(), 0, 'what other columns say is left out');
    await page.getByRole('cell', { name: 'Organization created' }).first().waitFor();
    assert.equal(await page.getByText('Key created').count(), 0);
  });

  test('the audit log shows a value that was removed, and amounts as money', async () => {
    const { directory } = gateway.accounts;
    const { key } = await directory.createKey({ projectId: gateway.account.projectId, label: 'audited' });
    await directory.updateKey(key.id, { routing: { order: ['mock', 'other'] } });
    await directory.updateKey(key.id, { limit: 12_345_678_900_000_001n });
    await directory.updateKey(key.id, { limit: null });
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations?part=audit&subject_id=${key.id}`);
    await page.getByText('limit: none → $12,346').waitFor();
    await page.getByText('limit: $12,346 → none').waitFor();
    await page.getByText('label: audited').waitFor();
    await page.getByText('routing: none → order: mock, other').waitFor();
    assert.equal(await page.getByText(/digest|not shown/).count(), 0, 'digests are left out');
    await page.getByText('$12,346').first().hover();
    await page.getByRole('tooltip').getByText('$12,345.678900000001').waitFor();
  });

  test('the audit log shows the prices of a custom model as money', async () => {
    const { accounts, account, terms } = gateway;
    const { organizationId } = account;
    const own = { format: 'chat', baseUrl: 'https://models.example.com/v1', apiKey: 'sk-own-key' } as const;
    await accounts.directory.addCustomProvider({ organizationId, name: 'acme', ...own }, terms);
    const model = {
      name: 'large',
      contextLength: 1_000,
      maxOutput: 100,
      price: { input: '3', output: '0.5' },
    };
    await accounts.directory.addCustomModel({ organizationId, provider: 'acme', model }, terms);
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/operations?part=audit&action=custom_model.created`);
    await page.getByText('price: input $3.00, output $0.50').waitFor();
  });

  test('an admin of one organization sees its audit log and nothing of the gateway', async () => {
    const { organizationId } = gateway.account;
    await using tab = await openTab(gateway, {}, { organizationId });
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('tab', { name: 'Audit log' }).waitFor();
    assert.equal(await page.getByRole('tab').count(), 1);
    assert.deepEqual(faults, []);
  });

  test('in both colour schemes and at every width nothing is wrong with any part', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    for (const part of PARTS) {
      await openPart(page, `${gateway.url}/dashboard/#/operations?part=${part}`);
      assert.deepEqual(await inspect(page, `operations-${part}`), []);
    }
    assert.deepEqual(faults, []);
  });
});

async function openPart(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { name: 'Operations', level: 1 }).waitFor();
  await page.getByRole('tabpanel').waitFor();
  await page.waitForFunction(() => !/Loading /.test(document.body.innerText));
}

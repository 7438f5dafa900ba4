import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { findViolations, keepScreenshots, noBrowser, openTab } from './browser.ts';

const USD = 1_000_000_000_000n;
const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

describe('customers and budgets in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    const { directory } = gateway.accounts;
    await directory.addCredits({ organizationId: gateway.account.organizationId, amount: 5n * USD });
    await directory.createKey({ projectId: gateway.account.projectId, label: 'small', limit: USD });
    await directory.createSessionToken({ keyId: gateway.account.keyId, budget: USD, endUserId: 'ann' });
    await (await gateway.post('/v1/chat/completions', { ...ask, user: 'ann' })).text();
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('an organization shows its credits, its end users, and a token that is revoked', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Customers' }).click();
    await page.getByRole('link', { name: 'Acme' }).click();
    await page.waitForURL(/organization=org_/);
    await page.getByRole('heading', { name: 'Acme' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Acme' }).getAttribute('aria-current'), 'page');
    await page.getByRole('group', { name: 'End users' }).getByRole('cell', { name: 'ann' }).waitFor();
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('button', { name: 'Revoke now' }).click();
    await page.getByText('No session token is valid now.').waitFor();
    await page.getByRole('link', { name: 'Keys, members and limits' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.ok(page.url().includes(gateway.account.organizationId));
    assert.deepEqual(faults, []);
  });

  test('a budget shows what is left and when it ends', async () => {
    await using tab = await openTab(gateway);
    const row = tab.page.getByRole('group', { name: 'Budgets' }).locator('tr', { hasText: 'key small' });
    await row.getByText('not within a year').waitFor();
    assert.match(await row.innerText(), /\$1\.00/);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing, and nothing is wider than a small screen (${colorScheme})`, async () => {
      await using tab = await openTab(gateway, { colorScheme, viewport: { width: 1440, height: 900 } });
      const { page, faults } = tab;
      const { organizationId } = gateway.account;
      await page.goto(`${gateway.url}/dashboard/#/customers?organization=${organizationId}`);
      await page.getByText('Valid session tokens').waitFor();
      await page.waitForFunction(() => !/Loading /.test(document.body.innerText));
      assert.deepEqual(await findViolations(page), []);
      await keepScreenshots(page, `customers-${colorScheme}`);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
      assert.deepEqual(faults, []);
    });
  }
});

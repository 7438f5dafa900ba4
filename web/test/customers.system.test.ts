import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { until } from '../../test/support/until.ts';
import { findViolations, inspect, noBrowser, openTab } from './browser.ts';

const USD = 1_000_000_000_000n;
const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

describe('customers and budgets in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    const { directory } = gateway.accounts;
    await directory.addCredits({ organizationId: gateway.account.organizationId, amount: 5n * USD });
    await directory.createKey({ projectId: gateway.account.projectId, label: 'small', limit: USD });
    await directory.createSessionToken({ keyId: gateway.account.keyId, limit: USD, endUserId: 'ann' });
    await (await gateway.post('/v1/chat/completions', { ...ask, user: 'ann' })).text();
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('an organization shows its credits, its end users, and a token that is revoked', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Customers' }).click();
    await page.getByRole('link', { name: 'Acme' }).press('Enter'); // what loads above a link still moves it
    await page.waitForURL(/organization=org_/);
    await page.getByRole('heading', { name: 'Acme' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Acme' }).getAttribute('aria-current'), 'page');
    await page.getByRole('group', { name: 'End users' }).getByRole('cell', { name: 'ann' }).waitFor();
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('button', { name: 'Revoke now' }).click();
    await page.getByText('No session token is valid now.').waitFor();
    await page.getByRole('link', { name: 'Keys, members and limits' }).press('Enter');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.ok(page.url().includes(gateway.account.organizationId));
    assert.deepEqual(faults, []);
  });

  test('messages to the webhooks of an organization are listed with what became of them', async () => {
    const { projectId, organizationId } = gateway.account;
    const { database } = gateway;
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/customers?organization=${organizationId}`);
    await page.getByText('Nothing was sent yet.').waitFor();
    await database.query({ text: 'ALTER TABLE video_event DROP CONSTRAINT video_event_job_id_fkey' }); // no job is asked for
    await database.query({
      text: `INSERT INTO video_event (id, type, job_id, project_id, created_at, attempts, abandoned_at)
        VALUES ('evt_1', 'video.completed', 'video_1', $1, now(), 9, now())`,
      values: [projectId],
    });
    await page.reload();
    const row = page.getByRole('group', { name: 'Webhook deliveries' }).locator('tbody tr');
    assert.match(await row.innerText(), /video\.completed[^]*evt_1[^]*video_1[^]*abandoned, 9 attempts/);
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(faults, []);
  });

  test('a budget shows what is left and when it ends', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const budgets = page.getByRole('group', { name: 'Budgets' });
    const row = budgets.locator('tr', { hasText: 'small' });
    await row.getByText('not within a year').waitFor();
    assert.match(await row.innerText(), /\$1\.00/);
    const credits = budgets.locator('tr', { hasText: 'credits' });
    assert.match(await credits.innerText(), /Acme[^]*\$4\.99[^]*\$5\.00/);
    const left = credits.getByText('$4.9998', { exact: true });
    await left.focus();
    await page.getByRole('tooltip', { name: /^\$4\.999\d{3}$/ }).waitFor();
    const whole = row.getByText('$1.00', { exact: true }).first();
    assert.equal(await whole.evaluate(({ tabIndex }) => tabIndex), -1, 'it has no digits to show');
    await row.getByRole('link', { name: 'small' }).click();
    await page.getByRole('heading', { name: 'small' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('credits beside a plan say that the plan pays first', async () => {
    const { directory } = gateway.accounts;
    const { organizationId } = await gateway.createAccount({ credits: 7n * USD });
    const terms = { price: USD, credits: 9n * USD, premiumWeekly: USD };
    await directory.setPlan({ organizationId, plan: 'lite', terms, overflow: true });
    await using tab = await openTab(gateway, {}, { organizationId });
    const credits = tab.page.getByRole('group', { name: 'Budgets' }).locator('tr', { hasText: 'credits' });
    await credits.getByText('not before the plan renews').waitFor();
    assert.match(await credits.innerText(), /\$7\.00/);
  });

  test('percentiles of times and what is held are shown, of all or of one organization and project', async () => {
    const { directory } = gateway.accounts;
    const idle = await directory.createOrganization('Idle');
    await directory.createProject({ organizationId: idle.id, name: 'quiet' });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures
      .getByText(/^median of 1; p95 \d.*, p99 \d/)
      .nth(1)
      .waitFor();
    await figures.getByText('for 0 open requests').waitFor();
    const models = page.getByRole('group', { name: 'Usage by model' });
    await models.locator('tr', { hasText: /chat-model.*\d m?s.*\d m?s$/ }).waitFor();
    await page.getByRole('combobox', { name: 'Organization' }).fill('idl');
    await page.getByRole('option', { name: 'Idle' }).click();
    await figures.getByText('no answer yet').first().waitFor();
    await page.getByText('No requests in this period').waitFor();
    await page.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option', { name: 'quiet' }).click();
    await page.waitForURL(/organization_id=org_.*project_id=prj_/);
    await page.reload();
    await page.getByText('No requests in this period').waitFor();
    const project = page.getByRole('combobox', { name: 'Project' });
    await until('its name is read', async () => (await project.inputValue()) === 'quiet');
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole('combobox', { name: 'Organization' }).click();
    await page.getByRole('option', { name: 'All' }).click();
    await models.getByRole('link', { name: 'chat-model' }).click();
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    assert.match(page.url(), /range=day&model=chat-model|model=chat-model&range=day/);
    await page.goto(`${gateway.url}/dashboard/#/?by=project`);
    const projects = page.getByRole('group', { name: 'Usage by project' });
    await projects.getByRole('link', { name: 'default' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('hundreds of organizations load as they come in sight, and one is found by its name', async () => {
    await gateway.database.query({
      text: `WITH made AS (INSERT INTO organization (id, name)
          SELECT 'org_many_' || n, 'Many ' || n FROM generate_series(1, 220) AS n RETURNING id)
        INSERT INTO meter (kind, subject_id) SELECT 'credits', id FROM made`,
    });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.getByRole('link', { name: 'Customers' }).click();
    const rows = page.getByRole('group', { name: 'Organizations' }).locator('tbody tr');
    await page.getByRole('button', { name: 'Show more organizations' }).waitFor();
    for (const least of [150, 215]) {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await page.waitForFunction((count) => document.querySelectorAll('tbody tr').length > count, least);
    }
    await page.getByLabel('Find organizations by name').fill('many 217');
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
    assert.match(await rows.innerText(), /Many 217/);
    assert.deepEqual(faults, []);
  });

  test('in both colour schemes and at every width nothing is wrong with the page', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/customers?organization=${gateway.account.organizationId}`);
    await page.getByText('Valid session tokens').waitFor();
    await page.waitForFunction(() => !/Loading /.test(document.body.innerText));
    assert.deepEqual(await inspect(page, 'customers'), []);
    assert.deepEqual(faults, []);
  });

  test('an end user and a session token lead to their requests', async () => {
    const { organizationId, keyId } = gateway.account;
    const { secret } = await gateway.accounts.directory.createSessionToken({
      keyId,
      limit: USD,
      endUserId: 'bea',
    });
    await (await gateway.post('/v1/chat/completions', ask, { authorization: `Bearer ${secret}` })).text();
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const place = `${gateway.url}/dashboard/#/customers?organization=${organizationId}`;
    await page.goto(place);
    await page.getByRole('group', { name: 'End users' }).getByRole('link', { name: 'bea' }).press('Enter');
    await page.getByRole('button', { name: 'Change filter End user: bea' }).waitFor();
    assert.match(page.url(), new RegExp(`organization_id=${organizationId}`));
    assert.match(page.url(), /since=/);
    const rows = page.getByRole('grid', { name: 'Requests, newest first' }).getByRole('row');
    await page.waitForFunction(() => document.querySelectorAll('[role=row]').length === 2);
    await page.goto(place);
    const token = page.getByRole('group', { name: 'Session tokens' }).locator('tr', { hasText: 'bea' });
    await token.getByRole('link').press('Enter');
    await page.waitForURL(/session_token_id=/);
    await rows.nth(1).waitFor();
    assert.equal(await rows.count(), 2);
    assert.deepEqual(faults, []);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { until } from '../../test/support/until.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';

const MOST_CALLS = 20;
const CHAT = '/v1/chat/completions';
const ask = (model: string) => ({ model, max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] });

describe('keys, members and rules in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  const open = (page: Page, place: string): Promise<unknown> =>
    page.goto(`${gateway.url}/dashboard/#/access${place}`);
  const call = (secret: string, model = 'chat-model'): Promise<Response> =>
    gateway.post(CHAT, ask(model), { authorization: `Bearer ${secret}` });
  /** Calls until a budget is spent; returns the refusal. */
  const useUp = async (secret: string): Promise<Response> => {
    for (let calls = 0; calls < MOST_CALLS; calls += 1) {
      const response = await call(secret);
      if (response.status === 402) return response;
      await response.text();
    }
    return assert.fail('no call was refused');
  };
  const createKey = (label: string) =>
    gateway.accounts.directory.createKey({ projectId: gateway.account.projectId, label });

  test('a key is made with a limit and used up; the refusal names the limit, and a higher one lets it go on', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await open(page, '');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const form = page.getByRole('form', { name: 'Create a key' });
    await form.getByLabel('Label').fill('small');
    await form.getByLabel('Total limit').fill('0.001');
    await form.getByText('Requests beyond a total of $0.001 are refused.').waitFor();
    await form.getByRole('button', { name: 'Create' }).click();
    const secret = await page.getByRole('status').locator('pre').innerText();
    assert.equal((await call(secret)).status, 200);
    const refused = await useUp(secret);
    assert.match(await refused.text(), /limit of 0\.001 USD/);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await page.getByRole('link', { name: /Key limit reached/ }).click();
    await page.getByText(/limit of 0\.001 USD/).waitFor();
    await open(page, '');
    await page.getByRole('link', { name: 'small' }).click();
    await page.getByRole('button', { name: 'Change: Label and limits' }).click();
    await page.getByLabel('Total limit').fill('5');
    await page.getByLabel('Limit per period', { exact: true }).fill('1');
    await page.getByLabel('Requests per minute').fill('60');
    await page.getByRole('button', { name: 'Review the change' }).click();
    const changes = page.getByRole('table', { name: 'What changes' });
    assert.deepEqual(await changes.getByRole('row').allInnerTexts(), [
      'Setting\tBefore\tAfter',
      'Total limit\t$0.001\t$5',
      'Limit per period\tno limit\t$1 per day',
      'Requests per minute\tno limit\t60 in any 60 seconds',
    ]);
    await page.getByText(/^Requests beyond \$5 are refused from now on; \$0\.000\d+ are used\.$/).waitFor();
    const { directory } = gateway.accounts;
    const findKey = async () => (await directory.listKeys({})).find(({ label }) => label === 'small');
    assert.equal((await findKey())?.limit, 10n ** 9n, 'nothing has changed before it is confirmed');
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('60 in any 60 seconds').waitFor();
    await until('the limit is in force', async () => (await call(secret)).status === 200);
    assert.deepEqual((await findKey())?.recurringLimit, { amount: 10n ** 12n, period: 'day' });
    assert.deepEqual(faults, []);
  });

  test('a rotated key shows its new secret once; the old one works until its end and is then refused', async () => {
    const { key, secret: old } = await createKey('turning');
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const rotate = async (grace: string): Promise<string> => {
      await page.getByRole('button', { name: 'Rotate', exact: true }).click();
      await page.getByLabel('The old secret').selectOption({ label: grace });
      await page.getByText(/^The key gets a new secret.*The old one, slc_…\w{4}, /).waitFor();
      await page.getByRole('button', { name: 'Rotate now' }).click();
      const secret = await page.getByRole('status').locator('pre').innerText();
      return secret;
    };
    await open(page, `?open=${key.id}`);
    const second = await rotate('works for another hour');
    await page
      .getByText(/^The old secret works until/)
      .first()
      .waitFor();
    for (const secret of [old, second]) assert.equal((await call(secret)).status, 200);
    const { previousSecretExpiresAt: end } = await gateway.accounts.directory.getKey(key.id);
    assert.ok(Math.abs(Number(end) - Date.now() - 3_600_000) < 600_000);
    await page.getByRole('button', { name: 'I have it' }).click();
    assert.equal(await page.getByText(second).count(), 0);
    const third = await rotate('ends at once');
    await page.getByText('The old secret is refused from now on.').waitFor();
    await until('the old ones are refused', async () => (await call(second)).status === 401);
    assert.equal((await call(old)).status, 401);
    assert.equal((await call(third)).status, 200);
    assert.deepEqual(faults, []);
  });

  test('a key that is disabled and then deleted says what stops working, and its requests are refused', async () => {
    const { key, secret } = await createKey('leaving');
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await open(page, `?open=${key.id}`);
    await page.getByRole('button', { name: 'Disable leaving' }).click();
    await page.getByText(/are refused at once\. You can enable it again/).waitFor();
    await page.getByRole('button', { name: 'Disable now' }).click();
    await page.getByRole('button', { name: 'Enable leaving' }).waitFor();
    await until('it is refused', async () => (await call(secret)).status !== 200);
    await page.getByRole('button', { name: 'Delete leaving' }).click();
    await page.getByRole('button', { name: 'Delete now' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await until('the list is read', async () => (await page.getByText('leaving').count()) === 0);
    await assert.rejects(gateway.accounts.directory.getKey(key.id), /no such key/);
    assert.deepEqual(faults, []);
  });

  test('a member gets a budget, which its key then cannot exceed', async () => {
    const { directory } = gateway.accounts;
    const { organizationId, projectId } = gateway.account;
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await open(page, '?part=members');
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('E-mail').fill('no address');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/email: must be an e-mail address/).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByLabel('E-mail').fill('ada@acme.example');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    const [ada] = await directory.listMembers({ organizationId });
    const { secret } = await directory.createKey({ projectId, label: 'of Ada', memberId: ada?.id ?? '' });
    assert.equal((await call(secret)).status, 200);
    await page.getByRole('button', { name: 'Change: Name, role and limits' }).click();
    await page.getByLabel('Total limit').fill('0.000001');
    await page.getByRole('button', { name: 'Review the change' }).click();
    await page.getByText(/Every request that costs something is refused|Requests beyond/).waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Change: Name, role and limits' }).waitFor();
    await page.getByText('$0.000001', { exact: true }).waitFor();
    await until('the budget is in force', async () => (await call(secret)).status === 402);
    assert.match(await (await call(secret)).text(), /member_budget_reached/);
    assert.deepEqual(faults, []);
  });

  test('a rule on a project refuses the model that it denies, until it is removed', async () => {
    const { projectId } = gateway.account;
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await open(page, `?part=projects&open=${projectId}`);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Rule', { exact: true }).selectOption({ label: 'Deny models' });
    await page.getByRole('combobox', { name: 'Values' }).fill('gemini-*');
    await page.getByText('Requests for gemini-* are refused with 403.').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const rules = page.getByRole('table', { name: 'Rules' });
    await rules.getByRole('cell', { name: 'gemini-*', exact: true }).waitFor();
    await until(
      'the rule is in force',
      async () => (await call(gateway.apiKey, 'gemini-model')).status === 403,
    );
    assert.match(await (await call(gateway.apiKey, 'gemini-model')).text(), /project/);
    assert.equal((await call(gateway.apiKey)).status, 200);
    await open(page, `?open=${gateway.account.keyId}`);
    await rules.getByRole('row', { name: 'Deny models gemini-* the project' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Remove Deny models gemini-*' }).count(), 0);
    assert.equal(await rules.getByRole('columnheader', { name: 'Actions' }).count(), 0, 'it would be empty');
    await open(page, `?part=projects&open=${projectId}`);
    await rules.getByRole('button', { name: 'Remove Deny models gemini-*' }).click();
    await page.getByText('This no longer applies: Requests for gemini-* are refused with 403.').waitFor();
    await page.getByRole('button', { name: 'Remove now' }).click();
    await page.getByText('No rule').waitFor();
    await until('the rule is gone', async () => (await call(gateway.apiKey, 'gemini-model')).status === 200);
    assert.deepEqual(faults, []);
  });
});

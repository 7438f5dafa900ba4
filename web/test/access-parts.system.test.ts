import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { until } from '../../test/support/until.ts';
import { fail } from '../../test/support/upstream-replies.ts';
import { inspect, noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ask = (model: string) => ({ model, max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] });

describe('providers, money and every part of access in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess({ extraConfig: 'customProviders: { trustedHosts: [127.0.0.1] }\n' });
  });
  after(() => gateway[Symbol.asyncDispose]());

  const open = (page: Page, place: string): Promise<unknown> =>
    page.goto(`${gateway.url}/dashboard/#/access${place}`);
  const call = (model: string): Promise<Response> => gateway.post(CHAT, ask(model));

  test('a provider key is set and tested, a refusal of the provider is shown, and the key is never shown', async () => {
    const { upstream } = gateway;
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await open(page, '?part=provider-keys');
    await page.getByRole('button', { name: 'Set a provider key' }).click();
    await page.getByRole('combobox', { name: 'Provider' }).fill('mock-spare');
    await page.getByRole('textbox', { name: /^Key/ }).fill('sk-own-0123456789');
    await page.getByText(/mock-spare bills the organization directly/).waitFor();
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByRole('cell', { name: 'mock-spare', exact: true }).waitFor();
    const test = page.getByRole('button', { name: 'Test mock-spare' });
    upstream.script({
      reply: fail(401, 'authentication_error', { message: 'invalid key sk-own-0123456789' }),
    });
    await test.click();
    await page.getByText(/invalid key/).waitFor();
    upstream.clear();
    await test.click();
    await page.getByText(/^shared-model answered in/).waitFor();
    const last = upstream.truths.at(-1);
    assert.equal(last?.headers['authorization'], 'Bearer sk-own-0123456789');
    assert.ok(!(await page.content()).includes('sk-own-0123456789'));
    const row = await gateway.getRow(await call('mock-spare/shared-model'));
    assert.deepEqual([row.credential, row.customer], ['own', '0'], 'the provider bills the organization');
    await page.getByRole('button', { name: 'Remove mock-spare' }).click();
    await page.getByRole('button', { name: 'Remove now' }).click();
    await page.getByText('No provider keys').waitFor();
    assert.deepEqual(faults, []);
  });

  test('credits are added once per reason, and a plan is set and ended, each after saying what it does', async () => {
    const { directory } = gateway.accounts;
    const { id } = await directory.createOrganization('Payer');
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const add = async (effect: RegExp): Promise<void> => {
      await page.getByRole('button', { name: 'Add credits' }).click();
      await page.getByLabel('Amount in USD').fill('12.50');
      await page.getByLabel('Reason').fill('invoice-17');
      await page.getByText(effect).waitFor();
      await page.getByRole('button', { name: 'Add credits now' }).click();
      await page.getByText('$12.50').waitFor();
    };
    await open(page, `?part=money&organization=${id}`);
    await add(/From now on the organization is metered: it may spend \$12\.50/);
    await add(/The balance rises from \$12\.5 to \$25\./);
    assert.equal((await directory.getOrganization(id)).balance, 125n * 10n ** 11n, 'credited once');
    await page.getByRole('button', { name: 'Change: Plan' }).click();
    await page.getByRole('combobox', { name: /^Plan/ }).selectOption('pro');
    await page.getByRole('button', { name: 'Review the change' }).click();
    await page.getByText(/A billing cycle of the plan pro begins now/).waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Cycle ends').waitFor();
    assert.equal((await directory.getOrganization(id)).plan, 'pro');
    await page.getByRole('button', { name: 'Change: Plan' }).click();
    await page.getByRole('combobox', { name: /^Plan/ }).selectOption('none');
    await page.getByRole('button', { name: 'Review the change' }).click();
    await page.getByText(/^The plan ends\./).waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await until('it ends', async () => (await directory.getOrganization(id)).plan !== 'pro');
    assert.deepEqual(faults, []);
  });

  test('a project is removed from its page, and an organization from the bar, each after saying what ends', async () => {
    const { directory } = gateway.accounts;
    const { id } = await directory.createOrganization('Leaver');
    const { id: projectId } = await directory.createProject({ organizationId: id, name: 'web' });
    const { secret } = await directory.createKey({ projectId, label: 'ends' });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await open(page, `?part=projects&organization=${id}&open=${projectId}`);
    await page.getByRole('button', { name: 'Remove web' }).click();
    await page.getByText(/All keys of web and their session tokens are refused at once/).waitFor();
    await page.getByRole('button', { name: 'Remove now' }).click();
    await page.getByText('No projects yet').waitFor();
    await assert.rejects(async () => gateway.accounts.identify(secret), { code: 'invalid_credential' });
    await page.getByRole('button', { name: 'Remove Leaver' }).click();
    await page.getByText(/its provider keys and custom providers are deleted/).waitFor();
    await page.getByRole('button', { name: 'Remove now' }).click();
    await page.getByRole('button', { name: 'Remove Acme' }).waitFor();
    await assert.rejects(directory.getOrganization(id), { code: 'not_found' });
    assert.deepEqual(faults, []);
  });

  test('a custom provider with a model is added, answers its organization, and is removed with its model', async () => {
    const { organizationId } = gateway.account;
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await open(page, `?part=custom-providers&organization=${organizationId}`);
    await page.getByRole('button', { name: 'Add a provider' }).click();
    await page.getByLabel('Name').fill('acme');
    await page.getByLabel('Address').fill('http://192.168.0.1/v1');
    await page.getByRole('textbox', { name: /^Key/ }).fill('sk-acme-0123456789');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/base_url: must be/).waitFor();
    await page.getByLabel('Address').fill(gateway.upstream.baseUrl);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'acme', exact: true }).click();
    await page.getByRole('button', { name: 'Add a model' }).click();
    await page.getByLabel(/^Name( \*)?$/).fill('large');
    await page.getByLabel('Context window').fill('100000');
    await page.getByLabel('Max output tokens').fill('1000');
    await page.getByLabel(/^Input, USD/).fill('3');
    await page.getByLabel(/^Output, USD/).fill('15');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('cell', { name: 'acme/large', exact: true }).waitFor();
    await until('it answers', async () => (await call('acme/large')).status === 200);
    await page.getByRole('button', { name: 'Test acme' }).click();
    await page.getByText(/^large answered in/).waitFor();
    await page.getByRole('button', { name: 'Remove acme', exact: true }).click();
    await page.getByText(/its models \(1\) are removed with it/).waitFor();
    await page.getByRole('button', { name: 'Remove now' }).click();
    await page.getByText('No custom providers').waitFor();
    await until('it is gone', async () => (await call('acme/large')).status === 404);
    assert.deepEqual(faults, []);
  });

  test('a session that may only read sees every part of its organization and no button that changes it', async () => {
    const { organizationId, projectId, keyId } = gateway.account;
    const member = await gateway.accounts.directory.addMember({
      organizationId,
      name: 'Reader',
      role: 'viewer',
    });
    await using tab = await openTab(gateway, {}, { scopes: ['read'], organizationId });
    const { page, faults } = tab;
    const places = [
      ...PARTS.map(([part]) => `?part=${part}`),
      `?part=keys&open=${keyId}`,
      `?part=projects&open=${projectId}`,
      `?part=members&open=${member.id}`,
    ];
    for (const place of places) {
      await open(page, place);
      await page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor();
      await page.waitForFunction(() => !/Loading /.test(document.body.innerText));
      const offered = await page.getByRole('main').getByRole('button').allInnerTexts();
      assert.deepEqual(
        offered.filter((name) => !name.startsWith('Copy')),
        [],
        place,
      );
    }
    assert.deepEqual(faults, []);
  });

  const PARTS = [
    ['keys', 'API keys'],
    ['members', 'Members'],
    ['projects', 'Projects'],
    ['limits', 'Rules'],
    ['money', 'Plan'],
    ['provider-keys', 'Provider keys'],
    ['custom-providers', 'Custom providers'],
    ['admin-keys', 'Admin keys'],
    ['sessions', 'Dashboard sessions'],
  ] as const;

  test('in both colour schemes and at every width nothing is wrong with any part, and no table is cut', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const look = async (place: string, heading: string, name: string): Promise<void> => {
      await open(page, place);
      await page.getByRole('heading', { name: heading }).first().waitFor();
      await page.waitForFunction(() => !/Loading /.test(document.body.innerText));
      assert.deepEqual(await inspect(page, name, { hasPicture: name === 'access-key' }), []);
      await page.setViewportSize({ width: 360, height: 900 });
      assert.deepEqual(await page.evaluate(findCut), [], name);
    };
    for (const [part, heading] of PARTS) await look(`?part=${part}`, heading, `access-${part}`);
    await look(`?part=keys&open=${gateway.account.keyId}`, 'Limits', 'access-key');
    await look(`?part=projects&open=${gateway.account.projectId}`, 'Settings', 'access-project');
    assert.deepEqual(faults, []);
  });
});

/** Tables of which a part is beyond the screen. */
function findCut(): string[] {
  return [...document.querySelectorAll('table')]
    .filter((table) => table.getBoundingClientRect().right > innerWidth)
    .map((table) => table.ariaLabel ?? 'a table');
}

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { after, before, describe, test } from 'node:test';
import type { InProcessGateway } from '../../test/support/in-process.ts';
import { openWithIssuer } from '../../test/support/oidc-gateway.ts';
import { type OidcIssuer, signInAs } from '../../test/support/oidc-issuer.ts';
import { findViolations, noBrowser, openSignedOut } from './browser.ts';

describe('sign-in by OpenID Connect in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  let issuer: OidcIssuer;
  before(async () => {
    let projectId: string;
    ({ gateway, issuer, projectId } = await openWithIssuer());
    const { directory } = gateway.accounts;
    for (const login of ['mia', 'max']) await signInAs({ gateway, issuer }, login);
    for (const { id, name } of await directory.listMembers({})) {
      await directory.createKey({ projectId, label: `key of ${name}`, memberId: id });
      await directory.updateMember(id, { limit: 10n ** 12n, recurringLimit: null });
    }
    issuer.next = undefined;
  });
  after(async () => {
    await gateway[Symbol.asyncDispose]();
    await issuer[Symbol.asyncDispose]();
  });

  /** Through the form of the issuer, as a person does. */
  async function signIn(page: Page, login: string): Promise<void> {
    await page.getByRole('link', { name: 'Sign in with Test Issuer' }).click();
    await page.getByLabel('Login').fill(login);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
  }

  const SEES = {
    olga: { role: 'operator', keys: 2, creates: true, parts: 9, adds: true },
    adam: { role: 'admin', keys: 2, creates: true, parts: 9, adds: false },
    vera: { role: 'viewer', keys: 2, creates: false, parts: 7, adds: false },
    mia: { role: 'member', keys: 1, creates: false, parts: 0, adds: false },
  } as const;

  for (const [login, sees] of Object.entries(SEES)) {
    test(`${sees.role}: sees only what is theirs, and is offered no more`, async () => {
      await using tab = await openSignedOut(gateway);
      const { page, faults } = tab;
      await signIn(page, login);
      await page.getByText('Live', { exact: true }).waitFor();
      assert.equal(await page.getByText('Your own usage').count(), sees.role === 'member' ? 1 : 0);
      const budget = page.getByRole('group', { name: 'Budgets' }).locator('tr', { hasText: 'Mia Member' });
      await budget.getByText('member', { exact: true }).waitFor();
      const link = budget.getByRole('link');
      assert.equal(await link.count(), sees.role === 'member' ? 0 : 1, 'a member has no page of its own');
      await page.getByRole('link', { name: 'Access' }).click();
      await page.getByRole('heading', { name: 'API keys' }).waitFor();
      const organization = page.getByLabel('Organization', { exact: true });
      if (sees.role === 'operator') await organization.selectOption({ label: 'Acme Data' });
      await page.getByRole('link', { name: 'key of Mia Member' }).waitFor();
      await page
        .getByRole('cell', { name: /slc_/ })
        .nth(sees.keys - 1)
        .waitFor();
      assert.equal(await page.getByRole('cell', { name: /slc_/ }).count(), sees.keys);
      const isOffered = async (name: string): Promise<boolean> =>
        (await page.getByRole('button', { name, exact: true }).count()) > 0;
      if (sees.creates) await page.getByRole('button', { name: 'Create a key' }).waitFor();
      assert.equal(await isOffered('Create a key'), sees.creates);
      assert.equal(await isOffered('Add an organization'), sees.adds);
      assert.equal(await page.getByRole('tab').count(), sees.parts);
      await page.getByRole('link', { name: 'key of Mia Member' }).click();
      await page.getByRole('heading', { name: 'Limits' }).waitFor();
      assert.equal(await isOffered('Rotate'), sees.creates);
      assert.equal(await isOffered('Change: Label and limits'), sees.creates);
      if (sees.role === 'member')
        for (const name of ['Savings', 'Customers']) {
          await page.goto(`${gateway.url}/dashboard/#/${name.toLowerCase()}`);
          await page.getByText(`${name} is not for your role`).waitFor();
          await page.getByRole('link', { name: 'Back to Now' }).waitFor();
        }
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('dialog').getByText(`${login}@acme.example`).waitFor();
      assert.deepEqual(await findViolations(page), []);
      assert.deepEqual(faults, []);
    });
  }

  test('the way to the issuer is legible in both colour schemes', async () => {
    await using tab = await openSignedOut(gateway);
    const { page } = tab;
    const link = page.getByRole('link', { name: 'Sign in with Test Issuer' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction(
        (scheme) => document.documentElement.dataset['mantineColorScheme'] === scheme,
        colorScheme,
      );
      assert.equal(await link.evaluate((element) => getComputedStyle(element).color), 'rgb(255, 255, 255)');
      assert.deepEqual(await findViolations(page), []);
    }
  });

  test('a session that is revoked in use leads back to the sign-in', async () => {
    await using tab = await openSignedOut(gateway);
    const { page } = tab;
    await signIn(page, 'max');
    const { directory } = gateway.accounts;
    for (const { id, label } of await directory.listDashboardSessions({}))
      if (label.startsWith('Max')) await directory.endDashboardSession(id);
    await page.getByRole('link', { name: 'Sign in with Test Issuer' }).waitFor();
    assert.deepEqual(await findViolations(page), []);
  });

  test('somebody without a role gets a sentence and a way back', async () => {
    await using tab = await openSignedOut(gateway);
    const { page } = tab;
    await page.getByRole('link', { name: 'Sign in with Test Issuer' }).click();
    await page.getByLabel('Login').fill('nobody');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('your account is in the groups guests').waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await page.getByRole('link', { name: 'Sign in with Test Issuer' }).waitFor();
  });

  test('signing out leads to the issuer, which ends its session too', async () => {
    await using tab = await openSignedOut(gateway);
    const { page } = tab;
    await signIn(page, 'mia');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.href.startsWith(`${issuer.url}/session/end`));
    await page.goto(`${gateway.url}/dashboard/`);
    await page.getByRole('link', { name: 'Sign in with Test Issuer' }).waitFor();
  });
});

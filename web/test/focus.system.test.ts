import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { noBrowser, openTab } from './browser.ts';

describe('the focus in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  const waitForFocus = (page: Page, name: string): Promise<unknown> =>
    page.waitForFunction((wanted) => {
      const { activeElement: at } = document;
      const label =
        at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? at.labels?.[0] : undefined;
      return (label?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent)?.startsWith(wanted);
    }, name);

  test('the palette gives it back to what had it', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const opener = page.getByRole('button', { name: 'Go to…' });
    await opener.press('Enter');
    await page.getByLabel('A page, a model, a key, a request or a session').press('Escape');
    await waitForFocus(page, 'Go to…');
    assert.deepEqual(faults, []);
  });

  test('the first key of a page skips the pages and goes to the content', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.reload();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.keyboard.press('Tab');
    await waitForFocus(page, 'Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => document.activeElement?.closest('main') !== null));
    assert.deepEqual(faults, []);
  });

  test('a page that opens has it in its content, and the way back gives it to the link that led there', async () => {
    const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
    for (const session of ['first', 'second'])
      await (await gateway.post('/v1/chat/completions', ask, { 'x-gateway-session': session })).text();
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const go = async (place: string): Promise<void> => {
      await page.goto(`${gateway.url}/dashboard/#/${place}`);
    };
    const inContent = (): Promise<unknown> =>
      page.waitForFunction(() => document.activeElement === document.querySelector('main'));
    await go('sessions');
    await page.getByRole('link', { name: 'first' }).press('Enter');
    await page.getByRole('heading', { name: 'first' }).waitFor();
    await inContent();
    await page.goBack();
    await waitForFocus(page, 'first');
    await go('access');
    await page.getByRole('link', { name: 'test key' }).press('Enter');
    await page.getByRole('link', { name: 'All keys' }).press('Enter');
    await waitForFocus(page, 'test key');
    await go('requests');
    const rows = page.getByRole('grid', { name: 'Requests, newest first' }).locator('.row[tabindex]');
    const second = await rows.nth(1).innerText();
    await rows.nth(1).press('Enter');
    await page.getByRole('heading', { name: 'Bill' }).waitFor();
    await inContent();
    await page.goBack();
    await page.waitForFunction((text) => (document.activeElement as HTMLElement).innerText === text, second);
    assert.deepEqual(faults, []);
  });

  test('a filter of sessions keeps it as others are shown', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions`);
    const order = page.getByLabel('Order');
    await order.focus();
    await order.selectOption('cost');
    await page.waitForURL(/sort=cost/);
    await page.getByRole('link', { name: 'first' }).waitFor();
    await waitForFocus(page, 'Order');
  });

  test('a form takes it into its first field, shows what changes, and gives it back as it closes', async () => {
    const { organizationId, keyId } = gateway.account;
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/access?organization=${organizationId}`);
    await page.getByRole('button', { name: 'Create a key' }).press('Enter');
    await waitForFocus(page, 'Label');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await waitForFocus(page, 'Create a key');
    await page.goto(`${gateway.url}/dashboard/#/access?organization=${organizationId}&open=${keyId}`);
    await page.getByRole('button', { name: 'Change: Label and limits' }).press('Enter');
    await waitForFocus(page, 'Label');
    await page.getByLabel('Total limit').fill('12');
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'What changes' }).waitFor();
    await waitForFocus(page, 'Change: Label and limits');
    await page.keyboard.press('Tab');
    await waitForFocus(page, 'Apply');
    await page.keyboard.press('Enter');
    await page.locator('dd').getByText('$12').waitFor();
    await waitForFocus(page, 'Change: Label and limits');
    assert.deepEqual(faults, []);
  });

  test('a refused form gives it to the first field that is wrong, in sight', async () => {
    const { organizationId } = gateway.account;
    await using tab = await openTab(gateway, { viewport: { width: 1280, height: 480 } });
    const { page, faults } = tab;
    const isInSight = (): Promise<boolean> =>
      page.evaluate(() => {
        const { top = 0, bottom = 0 } = document.activeElement?.getBoundingClientRect() ?? {};
        const head = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
        return top > head && bottom < innerHeight;
      });
    await page.goto(`${gateway.url}/dashboard/#/access?organization=${organizationId}`);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await waitForFocus(page, 'Label');
    assert.ok(await isInSight());
    await page.keyboard.type('small');
    await page.getByLabel('Total limit').fill('1,50');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await waitForFocus(page, 'Total limit');
    assert.ok(await isInSight());
    await page.goto(`${gateway.url}/dashboard/#/access?part=members&organization=${organizationId}`);
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByLabel(/^Name/).fill('Ada');
    await page.getByLabel('E-mail').fill('no address');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await waitForFocus(page, 'E-mail');
    assert.ok(await isInSight());
    await page.goto(`${gateway.url}/dashboard/#/access?part=limits&organization=${organizationId}`);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const form = page.getByRole('form', { name: /^Add the rule/ });
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByText('This is needed').waitFor();
    await waitForFocus(page, 'Values');
    assert.equal(await page.getByRole('listbox').count(), 0, 'no list covers what is wrong');
    await form.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(faults, []);
  });

  test('a button that asks before it acts has it again when it has acted', async () => {
    const { organizationId, projectId } = gateway.account;
    const { key } = await gateway.accounts.directory.createKey({ projectId, label: 'switched' });
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/access?organization=${organizationId}&open=${key.id}`);
    await page.getByRole('button', { name: 'Disable switched' }).press('Enter');
    await waitForFocus(page, 'Disable now');
    await page.keyboard.press('Enter');
    await waitForFocus(page, 'Enable switched');
  });

  test('the type of a rule keeps it while types are looked through', async () => {
    const { organizationId } = gateway.account;
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/access?part=limits&organization=${organizationId}`);
    await page.getByRole('button', { name: 'Add a rule' }).press('Enter');
    await waitForFocus(page, 'Rule');
    const type = page.getByLabel('Rule', { exact: true });
    const first = await type.inputValue();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(
      (old) =>
        document.querySelector('select:focus')?.matches(':focus') &&
        (document.activeElement as HTMLSelectElement).value !== old,
      first,
    );
  });

  test('the title of the tab names what is shown', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    for (const [place, title] of [
      ['access', 'Access · Sluice'],
      ['models/chat-model', 'chat-model · Models · Sluice'],
      ['', 'Now · Sluice'],
    ] as const) {
      await page.goto(`${gateway.url}/dashboard/#/${place}`);
      await page.waitForFunction((wanted) => document.title === wanted, title);
    }
  });
});

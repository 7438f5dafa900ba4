import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { formatMs, shortenUsd } from '../src/parts/format.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
const PHONE = { width: 390, height: 844 };

test('long times are written in two units, and seconds with as many decimals as others beside them', () => {
  assert.deepEqual(
    [999.4, 4_000, 4_100, 9_500, 10_520, 119_000, 120_000, 200_000, 7_200_000, 12_000_000, 200_000_000].map(
      formatMs,
    ),
    [
      '999 ms',
      '4 s',
      '4.10 s',
      '9.50 s',
      '10.5 s',
      '119 s',
      '2 min',
      '3 min 20 s',
      '2 h',
      '3 h 20 min',
      '2 days 7 h',
    ],
  );
});

test('amounts from ten dollars on are written in cents, smaller ones to what a request costs', () => {
  assert.deepEqual(
    ['52.512512', '10', '4.9998', '0.0174', '0.000183', '-52.512512', '12345.67'].map(shortenUsd),
    ['$52.51', '$10.00', '$4.9998', '$0.0174', '$0.000183', '−$52.51', '$12,346'],
  );
});

describe('tables on a small screen', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  let id: string;
  before(async () => {
    gateway = await openInProcess();
    const response = await gateway.post(CHAT, ask, { 'x-gateway-session': 'phone' });
    await response.text();
    id = response.headers.get('x-request-id') ?? '';
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('every value of a row is in sight, with its name', async () => {
    await using tab = await openTab(gateway, { viewport: PHONE });
    const { page, faults } = tab;
    for (const [place, table, wanted] of [
      ['sessions', 'Sessions', /phone[^]*Cost: ?\$0\.\d+/],
      ['', 'Usage by model', /chat-model[^]*Spend: ?\$0\.\d+[^]*Answer, p95/],
      [`requests/${id}`, 'Bill', /Count: ?\d+[^]*Total\s*\$0\.\d+/],
      ['operations?part=providers', 'Providers', /mock-chat[^]*State: ?healthy/],
    ] as const) {
      await page.goto(`${gateway.url}/dashboard/#/${place}`);
      const group = page.getByRole('group', { name: table, exact: true });
      await group.getByRole('row').nth(1).waitFor();
      const cells = await group.getByRole('cell').evaluateAll((all) =>
        all.map((cell) => {
          const name = getComputedStyle(cell, '::before').content;
          return {
            text: `${name.startsWith('"') ? name.replaceAll('"', '') : ''}${(cell as HTMLElement).innerText}`,
            end: cell.getBoundingClientRect().right,
          };
        }),
      );
      assert.match(cells.map(({ text }) => text).join('\n'), wanted, table);
      assert.ok(
        cells.every(({ end }) => end <= PHONE.width),
        table,
      );
      assert.deepEqual(await findViolations(page), []);
    }
    assert.deepEqual(faults, []);
  });

  test('what each branch of a session costs is in sight', async () => {
    await using tab = await openTab(gateway, { viewport: PHONE });
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/sessions/phone`);
    const cost = page
      .getByRole('treegrid')
      .getByText(/^\$0\.\d+$/)
      .first();
    const { x, width } = (await cost.boundingBox()) ?? assert.fail('not shown');
    assert.ok(x + width < PHONE.width - 16, 'within the frame');
  });

  test('what is left of the largest budget is in sight on a screen of 768 px', async () => {
    const { organizationId } = await gateway.createAccount({ credits: 123_456_789_012n * 10n ** 12n });
    await using tab = await openTab(gateway, { viewport: { width: 768, height: 900 } }, { organizationId });
    const left = tab.page.getByRole('group', { name: 'Budgets' }).getByText('$123,456,789,012').first();
    const { x, width } = (await left.boundingBox()) ?? assert.fail('not shown');
    assert.equal(await left.evaluate((at) => at.closest('td')?.dataset['head']), 'Left');
    assert.ok(x + width < 768 - 16, 'within the frame');
  });

  test('a long error of a tested key leaves room for the key beside it', async () => {
    const { organizationId } = gateway.account;
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/access?part=provider-keys&organization=${organizationId}`);
    await page.getByRole('button', { name: 'Set a provider key' }).click();
    await page.getByRole('combobox', { name: 'Provider' }).fill('mock-spare');
    await page.getByRole('textbox', { name: /^Key/ }).fill('sk-own-0123456789');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    const key = page.getByRole('table', { name: 'Provider keys' }).locator('tbody td').nth(1);
    await key.waitFor();
    await page.route(/provider_tests/, (route) =>
      route.fulfill({
        json: { ok: false, model: 'm', duration_ms: 1, message: 'an error of words '.repeat(40) },
      }),
    );
    await page.getByRole('button', { name: 'Test mock-spare' }).click();
    const error = page.getByText(/an error of words/);
    const { width } = (await error.boundingBox()) ?? assert.fail('not shown');
    assert.ok(width <= 400, `${width} px wide`);
    const { width: left } = (await key.boundingBox()) ?? assert.fail('not shown');
    assert.ok(left > 110, `${left} px for the key`);
  });

  test('a time in another zone has that of UTC beside it, with the date if it differs', async () => {
    for (const [zone, utc] of [
      ['Asia/Kathmandu', /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC$/],
      ['UTC', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/],
    ] as const) {
      await using tab = await openTab(gateway, { timezoneId: zone });
      await tab.page.goto(`${gateway.url}/dashboard/#/requests/${id}`);
      const moment = tab.page.locator('time').first();
      assert.match(await moment.innerText(), utc, zone);
    }
  });
});

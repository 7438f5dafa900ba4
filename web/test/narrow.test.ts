import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { formatMs } from '../src/parts/format.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
const PHONE = { width: 390, height: 844 };

test('long times are written in two units', () => {
  assert.deepEqual(
    [999.4, 9_500, 119_000, 120_000, 200_000, 7_200_000, 12_000_000, 200_000_000].map(formatMs),
    ['999 ms', '9.5 s', '119 s', '2 min', '3 min 20 s', '2 h', '3 h 20 min', '2 days 7 h'],
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

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { until } from '../../test/support/until.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';
import { fillDay } from './day.ts';

describe('the list of requests by the keyboard', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    await fillDay(gateway);
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('the list of requests is one stop of the Tab key, within which keys move, and Enter opens a row', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const focused = (): Promise<string | undefined> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-rowindex') ?? undefined);
    for (const [width, first] of [
      [1440, 2],
      [390, 1],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${gateway.url}/dashboard/#/requests?live=false`);
      await page.reload(); // one page of rows
      const grid = page.getByRole('grid', { name: 'Requests, newest first' });
      const rows = grid.locator('[role=row][aria-rowindex]');
      const second = grid.locator('[data-index="1"]');
      await rows.first().waitFor();
      assert.deepEqual(await findViolations(page), []);
      const stops = grid.locator('[tabindex="0"], a:not([tabindex="-1"])');
      assert.equal(await stops.count(), 1);
      await page
        .getByRole('button', { name: 'Export' })
        .or(page.getByRole('button', { name: /^Filters/ }))
        .focus();
      for (const [key, moved] of [
        ['Tab', 0],
        ['ArrowDown', 1],
        ['ArrowDown', 2],
        ['PageDown', 12],
        ['ArrowUp', 11],
        ['End', 99],
        ['Home', 0],
        ['ArrowUp', 0],
        ['ArrowDown', 1],
      ] as const) {
        await page.keyboard.press(key);
        await until(`${key} moves to ${first + moved}`, async () => (await focused()) === `${first + moved}`);
        assert.equal(await stops.count(), 1, key);
      }
      const chosen = await second.locator('a').first().getAttribute('href');
      await page.mouse.move(width / 2, 600);
      await page.mouse.wheel(0, 3_000);
      await until('the stop is in sight', () =>
        stops.first().evaluate((stop) => {
          const [box, list] = [stop, stop.closest('.rows')].map((one) => one?.getBoundingClientRect());
          return box !== undefined && list !== undefined && box.top >= list.top && box.bottom <= list.bottom;
        }),
      );
      await page.mouse.wheel(0, -5_000);
      await second.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => chosen !== null && url.href.endsWith(chosen));
    }
    assert.deepEqual(faults, []);
  });
});

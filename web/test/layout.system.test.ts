import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { until } from '../../test/support/until.ts';
import { noBrowser, openTab } from './browser.ts';
import { fillDay } from './day.ts';

describe('the layout of the dashboard', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    await fillDay(gateway);
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('lists fill the screen, end in sight, and are no longer than their rows', async () => {
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page } = tab;
    const list = page.locator('.rows');
    for (const [place, height, width] of [
      ['requests', 900, 1440],
      ['requests', 1300, 2560],
      ['models', 900, 1440],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(`${gateway.url}/dashboard/#/${place}`);
      await page.getByRole('heading', { name: place, level: 1 }).waitFor();
      await list.getByRole('row').nth(1).waitFor();
      const box = (await list.boundingBox()) ?? assert.fail('not shown');
      assert.ok(box.y + box.height <= height, `${place} ends at ${box.y + box.height} px of ${height}`);
      assert.ok(box.y + box.height > height - 60, `${place} leaves no room below it`);
      assert.ok(box.width >= Math.min(width - 32, 1_700), `${place} is ${box.width} px wide`);
    }
    await page.goto(`${gateway.url}/dashboard/#/requests?finish_reason=client_error&model=model-3`);
    await list
      .getByRole('row', { name: /model-3/ })
      .first()
      .waitFor();
    await until('only those are shown', async () => (await list.getByRole('row').count()) < 15);
    const [count, box] = [await list.getByRole('row').count(), await list.boundingBox()];
    assert.ok(box && box.height <= (count + 1) * 40, `${box?.height} px for ${count} rows`);
  });

  test('what a request cost is in sight on every screen with columns, until others are chosen', async () => {
    await using tab = await openTab(gateway, { viewport: { width: 768, height: 900 } });
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests`);
    const list = page.locator('.rows');
    for (const [width, heads] of [
      [768, 5],
      [1024, 7],
      [1280, 9],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await until('as many columns as fit', async () => {
        return (await list.getByRole('columnheader').count()) === heads;
      });
      await list.getByRole('columnheader', { name: 'Cost' }).waitFor();
      assert.ok(await list.evaluate((at) => at.scrollWidth <= at.clientWidth), `all fits into ${width} px`);
    }
    await page.setViewportSize({ width: 768, height: 900 });
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Key', { exact: true }).check();
    await list.getByRole('columnheader', { name: 'Key' }).waitFor();
    await page.getByRole('button', { name: 'Default columns' }).click();
    await until('they fit again', async () => (await list.getByRole('columnheader').count()) === 5);
  });

  test('a heading in the list of keys is above the texts of its column', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/access?organization=${gateway.account.organizationId}`);
    const keys = page.getByRole('table', { name: 'API keys' });
    await keys.getByRole('link').first().waitFor();
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const starts = await keys.evaluate((table) =>
        [...table.querySelectorAll('tr')].map((row) => {
          const range = document.createRange();
          const shown = [...row.children].filter((cell) => cell.checkVisibility());
          const at = shown.findIndex((cell) => cell.classList.contains('end')) + 1;
          range.selectNodeContents(shown[at] ?? row);
          return Math.round(range.getBoundingClientRect().left);
        }),
      );
      assert.ok(starts.length > 1);
      assert.equal(new Set(starts).size, 1, `${starts.join(', ')} px at ${width} px`);
    }
  });

  test('the pages keep their places as another is opened', async () => {
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page } = tab;
    const placeOf = async (): Promise<number | undefined> =>
      (await page.getByRole('link', { name: 'Operations' }).boundingBox())?.x;
    const place = await placeOf();
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
    assert.equal(await placeOf(), place);
  });
});

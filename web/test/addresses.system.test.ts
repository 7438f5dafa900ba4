import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { until } from '../../test/support/until.ts';
import { noBrowser, openTab } from './browser.ts';

const PLACES = [
  ['', 'Now'],
  ['requests', 'Requests'],
  ['sessions', 'Sessions'],
  ['savings', 'Savings'],
  ['savings?part=misses', 'Savings'],
  ['models', 'Models'],
  ['models/calculator?model=chat-model', 'What would it have cost?'],
  ['customers', 'Customers'],
  ['access', 'Access'],
  ['operations?part=audit', 'Operations'],
] as const;

describe('addresses of the dashboard', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('parameters that a screen does not know are not sent to the API', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    const refused: string[] = [];
    const strange: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 400) refused.push(response.url());
      if (response.url().includes('utm_source')) strange.push(response.url());
    });
    for (const [place, heading] of PLACES) {
      const mark = place.includes('?') ? '&' : '?';
      await page.goto(`${gateway.url}/dashboard/#/${place}${mark}utm_source=mail`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await until('all is loaded', async () => (await page.getByText(/^Loading /).count()) === 0);
      assert.equal(await page.getByText('This could not be loaded').count(), 0, place);
    }
    assert.deepEqual(strange, []);
    assert.deepEqual(refused, []);
  });

  test('a range replaces the times of an address', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    const asked = page.waitForRequest(/\/admin\/v1\/logs\?/);
    await page.goto(`${gateway.url}/dashboard/#/requests?range=day&until=2020-01-01T00:00:00Z`);
    assert.doesNotMatch((await asked).url(), /until=/);
  });
});

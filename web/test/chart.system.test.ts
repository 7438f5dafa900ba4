import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';
import { COUNT_STEPS } from '../src/now/chart-options.ts';
import { formatStep, listSteps, sum } from '../src/now/chart-steps.ts';
import { startOf } from '../src/now/now-search.ts';

const CHAT = '/v1/chat/completions';
const ask = (model: string) => ({ model, max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] });
const HOUR_MS = 3_600_000;

test('every hour of a period has its exact sums', () => {
  const now = Date.parse('2026-03-02T10:20:00Z');
  const line = (hour: string, finish: string, cost: string) =>
    ({ group: { hour, finish }, cost, requests: 2 }) as unknown as Parameters<
      typeof listSteps
    >[0]['lines'][0];
  const steps = listSteps(
    {
      lines: [
        line('2026-03-02T08:00:00.000Z', 'completed', '0.1'),
        line('2026-03-02T08:00:00.000Z', 'upstream_error', '0.2'),
        line('2026-03-02T10:00:00.000Z', 'completed', '0.000000000001'),
        line('2026-03-01T10:00:00.000Z', 'completed', '9'),
      ],
      step: 'hour',
      since: '2026-03-02T08:00:00.000Z',
    },
    now,
  );
  assert.deepEqual(
    steps.map(({ spend, requests, errors }) => [spend, requests, errors]),
    [
      ['0.3', 4, 2],
      ['0', 0, 0],
      ['0.000000000001', 2, 0],
    ],
  );
  assert.deepEqual(sum(steps), { spend: '0.300000000001', requests: 6, errors: 2 });
  assert.equal(steps[2]?.time, (now - (now % HOUR_MS)) / 1_000);
});

test('twelve months begin with the first of one in UTC, and each has its sums, however long it is', () => {
  const now = Date.parse('2027-01-31T23:30:00Z');
  const since = startOf('year', now);
  assert.equal(since, '2026-02-01T00:00:00.000Z');
  const line = (month: string) =>
    ({ group: { month, finish: 'completed' }, cost: '0.1', requests: 1 }) as unknown as Parameters<
      typeof listSteps
    >[0]['lines'][0];
  const lines = ['2026-02', '2026-03', '2027-01'].map(line);
  const steps = listSteps({ lines, step: 'month', since }, now);
  const months = steps.map(({ time }) => formatStep(time, 'month'));
  assert.equal(steps.length, 12);
  assert.deepEqual([months[0], months[1], months[11]], ['2026-02', '2026-03', '2027-01']);
  assert.deepEqual(
    steps.filter(({ requests }) => requests > 0).map(({ time }) => formatStep(time, 'month')),
    ['2026-02', '2026-03', '2027-01'],
  );
});

test('the axis of counts has no fractions', () => {
  assert.ok(COUNT_STEPS.every(Number.isInteger));
  assert.deepEqual(COUNT_STEPS.slice(0, 5), [1, 2, 5, 10, 20]);
});

describe('the chart of the dashboard', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('its legend has sums, and the values of the hour that is pointed at, also by keys', async () => {
    await (await gateway.post(CHAT, ask('chat-model'))).text();
    await gateway.post(CHAT, ask('no-such-model'));
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page, faults } = tab;
    const section = page.getByRole('region', { name: 'Spend over time' });
    const chart = section.getByRole('slider', { name: 'Sums of one hour' });
    await section.getByText(/^Total$/).waitFor();
    assert.match(await section.innerText(), /Total\s+Spend \$0\.\d+\s+Requests 2\s+Errors 1/);
    await section.locator('.u-over').waitFor(); // drawn, once its width is known
    await chart.focus();
    await page.keyboard.press('Home');
    await section.getByText(/^\d{4}-\d\d-\d\d \d\d:00 UTC$/).waitFor();
    assert.match(await section.innerText(), /Spend \$0\s+Requests 0\s+Errors 0/);
    assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /:00 UTC: \$0, 0 requests, 0 errors$/);
    await page.keyboard.press('End');
    await section.getByText(/Requests 2/).waitFor();
    assert.match(
      (await chart.getAttribute('aria-valuetext')) ?? '',
      /:00 UTC, so far: \$0\.\d+, 2 requests, 1 error$/,
    );
    await page.keyboard.press('ArrowLeft');
    await section.getByText(/Requests 0/).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Escape');
    await section.getByText(/^Total$/).waitFor();
    const box = await section.locator('.u-over').boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 2, box.y + 50);
    await section.getByText(/Requests 0/).waitFor();
    await page.mouse.move(0, 0);
    await section.getByText(/^Total$/).waitFor();
    assert.deepEqual(faults, []);
  });

  test('twelve months are drawn by month, with the requests of all of them', async () => {
    await (await gateway.post(CHAT, ask('chat-model'))).text();
    await using tab = await openTab(gateway, { timezoneId: 'Asia/Kathmandu' });
    const { page, faults } = tab;
    const section = page.getByRole('region', { name: 'Spend over time' });
    await section.locator('.u-over').waitFor();
    await section.getByRole('slider').focus();
    await page.keyboard.press('End');
    await section.getByText(/^[\d-]{10} \d\d:45 \((?:[\d-]{10} )?\d\d:00 UTC\), so far$/).waitFor();
    await page.getByLabel('Period').selectOption('Last 12 months');
    await page.waitForURL(/range=year/);
    await section.getByText('Months are UTC.').waitFor();
    const chart = section.getByRole('slider', { name: 'Sums of one month' });
    assert.equal(await chart.getAttribute('aria-valuemax'), '11');
    await chart.focus();
    await page.keyboard.press('End');
    await section.getByText(/^\d{4}-\d\d, so far$/).waitFor();
    await page
      .getByRole('group', { name: 'Usage by model' })
      .getByRole('link', { name: 'chat-model' })
      .click();
    await page.waitForURL(/since=.*-01T00/);
    await page
      .getByRole('row', { name: /chat-model/ })
      .first()
      .waitFor();
    assert.deepEqual(faults, []);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';
import { COUNT_STEPS } from '../src/now/chart-options.ts';
import { listSteps, sum } from '../src/now/chart-steps.ts';

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
    await section.getByText(/^\d{4}-\d\d-\d\d \d\d:00$/).waitFor();
    assert.match(await section.innerText(), /Spend \$0\s+Requests 0\s+Errors 0/);
    assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /:00: \$0, 0 requests, 0 errors$/);
    await page.keyboard.press('End');
    await section.getByText(/Requests 2/).waitFor();
    assert.match(
      (await chart.getAttribute('aria-valuetext')) ?? '',
      /:00, so far: \$0\.\d+, 2 requests, 1 error$/,
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
});

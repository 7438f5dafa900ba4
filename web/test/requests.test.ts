import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, keepPrices, openInProcess } from '../../test/support/in-process.ts';
import { noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ask = (model: string) => ({ model, max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] });

describe('requests in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    await keepPrices(gateway.database, gateway.catalogue);
  });
  after(() => gateway[Symbol.asyncDispose]());

  async function send(model: string, headers: Record<string, string> = {}): Promise<string> {
    const answer = await gateway.post(CHAT, ask(model), headers);
    await answer.text();
    return answer.headers.get('x-request-id') ?? '';
  }

  test('the bill has the count, the price and the amount of each part, which add up to the total', async () => {
    const id = await send('chat-model');
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/requests/${id}`);
    const bill = page.getByRole('region', { name: 'Bill' });
    await bill.getByText(/^Prices of version \w+\.$/).waitFor();
    const rows = await bill.getByRole('row').allInnerTexts();
    assert.deepEqual(rows, [
      'Part\tCount\tPrice\tAmount',
      'Input tokens\t21\t$3.00 per million\t$0.000063',
      'Output tokens\t8\t$15.00 per million\t$0.00012',
      'Total\t$0.000183',
    ]);
    await bill.getByText('$0.00012').focus();
    await page.getByRole('tooltip', { name: '0.00012 USD' }).waitFor();
    assert.deepEqual(faults, []);
  });
});

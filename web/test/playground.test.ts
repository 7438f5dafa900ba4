import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { answer, haltedAnswer } from '../../test/support/upstream-replies.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';
import { PIXEL } from './conversations.ts';

const DRAWN = {
  candidates: [
    {
      content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }] },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1_290, totalTokenCount: 1_295 },
};

describe('the playground in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  async function open(page: Page, model: string) {
    await page.goto(`${gateway.url}/dashboard/#/playground?models=${model}`);
    await page.getByLabel('Or paste an API key').fill(gateway.apiKey);
    await page.getByRole('button', { name: 'Use it' }).click();
    return page.getByRole('region', { name: model });
  }

  test('pictures that were sent and that a model draws are shown, and files are sent once', async () => {
    gateway.upstream.script({
      match: ({ path }) => path.includes('drawing-model'),
      reply: async (exchange) => {
        await exchange.sendHead(200, { 'content-type': 'text/event-stream' });
        await exchange.sendBody(`data: ${JSON.stringify(DRAWN)}\n\n`);
        await exchange.end();
      },
    });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const column = await open(page, 'drawing-model');
    await page.getByRole('button', { name: 'Parameters' }).click();
    const picture = { name: 'garden.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('roses') };
    await page.locator('input[type=file]').setInputFiles([picture, notes]);
    await page.getByText('With garden.png, notes.txt').waitFor();
    await page.getByLabel('Prompt', { exact: true }).fill('Draw it again');
    await page.getByRole('button', { name: 'Send' }).click();
    await column.getByRole('img', { name: 'Drawn by the model' }).waitFor();
    await column.getByRole('img', { name: 'In the question' }).waitFor();
    await column.getByText('notes.txt').waitFor();
    assert.equal(await page.getByText('garden.png').count(), 0, 'no file is beside the next question');
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(faults, []);
  });

  test('an answer that is stopped keeps what came, and shows its cost once the provider has ended', async () => {
    const provider = Promise.withResolvers<null>();
    gateway.upstream.script({ reply: haltedAnswer(provider.promise, { text: 'One two three four' }) });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const column = await open(page, 'chat-model');
    await page.getByLabel('Prompt', { exact: true }).fill('Count');
    await page.getByRole('button', { name: 'Send' }).click();
    await column.getByText(/^One|^On/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await column.getByText(/in all.*stopped/).waitFor();
    provider.resolve(null);
    await column.getByText(/^\$0\.\d+, .* tokens in, \d+ out, stopped/).waitFor();
    await column.getByRole('link', { name: 'Request' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('a call of a tool is shown in lines, and the answer says that it waits', async () => {
    const call = { id: 'c1', name: 'weather', input: { city: 'Oslo', days: [1, 2] } };
    gateway.upstream.script({ reply: answer({ text: 'I look.', reasoning: 'Hm.', toolCalls: [call] }) });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const column = await open(page, 'chat-model');
    await page.getByLabel('Prompt', { exact: true }).fill('Weather?');
    await page.getByRole('button', { name: 'Send' }).click();
    await column.getByText(/waits for the results of tools/).waitFor();
    assert.match(await column.locator('pre').innerText(), /^\{\n {2}"city": "Oslo"/);
    await column.getByText('Thinking').click();
    await column.getByText('Hm.').waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(faults, []);
  });
});

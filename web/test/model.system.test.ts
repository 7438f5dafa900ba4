import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { findViolations, noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';

describe('the page of a model in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('a model lists its facts by name, and what each provider asks with what its calls have shown', async () => {
    const asked = { model: 'chat-model', messages: [{ role: 'user', content: 'x' }], stream: true };
    await (await gateway.post(CHAT, asked)).text();
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/models/chat-model`);
    const offers = page.getByRole('group', { name: 'Providers' });
    await offers.getByText('100 %').waitFor();
    assert.match(
      await offers.innerText(),
      /Uptime[\s\S]*mock-chat[\s\S]*\$15\.00[\s\S]*\d m?s\t[\d.,–]+\t100 %/,
    );
    assert.doesNotMatch(await offers.innerText(), /Other prices/);
    const factOf = (name: string) =>
      page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
    for (const [name, value] of [
      ['Model id', 'chat-model'],
      ['Input modalities', 'text, image'],
      ['Context', '100,000 tokens'],
      ['Capabilities', 'tools, images, JSON schema'],
      ['Lifecycle', 'in service'],
    ] as const)
      assert.equal(await factOf(name).innerText(), value, name);
    await page.goto(`${gateway.url}/dashboard/#/models/units-model`);
    await offers.getByText('$0.04 per image, 1024x1024').waitFor();
    await offers.getByText('$0.36 per hour of audio').waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(faults, []);
  });
});

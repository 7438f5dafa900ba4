import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { answer } from '../../test/support/upstream-replies.ts';
import { toPerMillion } from '../src/parts/format.ts';
import { findMisaligned, findViolations, inspect, noBrowser, openTab } from './browser.ts';

const CHAT = '/v1/chat/completions';
const ANSWER = 'I am a model. <b>Hello</b>';
interface Asked {
  messages: { role: string; content: unknown; tool_call_id?: string }[];
}

const MODELS = 'chat-model,messages-model,gemini-model';

test('a price per million tokens is exact', () => {
  assert.equal(toPerMillion('0.000003'), '3');
  assert.equal(toPerMillion('0.0000000375'), '0.0375');
  assert.equal(toPerMillion('0.000000000001'), '0.000001');
  assert.equal(toPerMillion('0.0000123456789'), '12.3456789');
  assert.equal(toPerMillion('2'), '2000000');
});

describe('models and the playground in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    gateway.upstream.script({ reply: answer({ text: ANSWER }) });
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('a provider that offers a model under several names is listed once', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/models?find=claude-opus-4-8`);
    const row = page.getByRole('row', { name: /^claude-opus-4-8/ });
    const providers = (await row.getByRole('cell').last().innerText()).split(', ');
    assert.ok(providers.includes('amazon-bedrock'));
    assert.equal(new Set(providers).size, providers.length, providers.join(', '));
  });

  test('models that no provider here can answer are left out on demand, and the playground suggests none', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/models?find=claude-opus-4-8`);
    const row = page.getByRole('row', { name: /^claude-opus-4-8/ });
    await row.waitFor();
    await page.getByLabel('Only models that can be called here').check();
    await row.waitFor({ state: 'detached' });
    await page.waitForURL(/available=true/);
    await page.getByLabel('Find').fill('chat-model');
    await page.getByRole('row', { name: /^chat-model/ }).waitFor();
    await page.goto(`${gateway.url}/dashboard/#/playground`);
    const field = page.getByRole('combobox', { name: 'A model' });
    await field.fill('a');
    await page.getByRole('option', { name: 'chat-model' }).waitFor();
    assert.equal(await page.getByRole('option', { name: /^claude-/ }).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('on a small screen a model shows its prices, context and measured time', async () => {
    const asked = { model: 'chat-model', messages: [{ role: 'user', content: 'x' }], stream: true };
    await (await gateway.post(CHAT, asked)).text();
    await using tab = await openTab(gateway, { viewport: { width: 390, height: 844 } });
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/models?find=chat-model`);
    const card = page.getByRole('list', { name: 'Models' }).getByRole('listitem');
    await card.getByText(/first token/).waitFor();
    assert.match(
      await card.innerText(),
      /^chat-model\s+\$3\.00 in · \$15\.00 out\s+100K context · first token [\d.]+ m?s$/,
    );
    const cut = await card.evaluate((element) =>
      [...element.querySelectorAll('span')].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    );
    assert.ok(!cut, 'nothing is cut');
    await page.getByLabel('Find').fill('');
    await page.getByLabel('Order').selectOption('Longest context');
    await page.waitForURL(/sort=context/);
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByLabel('Find').fill('chat-model');
    const row = page.getByRole('row', { name: /^chat-model/ });
    assert.match(await row.innerText(), /\d m?s\s+tools, images, JSON schema/);
    assert.deepEqual(faults, []);
  });

  test('models are filtered and sorted by the address, and one shows what each provider asks', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/models`);
    const table = page.getByRole('table', { name: 'Models' });
    const first = table.getByRole('row').nth(1);
    await first.waitFor();
    assert.deepEqual(await findMisaligned(page, '.tree-space > .tree-row'), []);
    await page.getByRole('button', { name: 'Input' }).click();
    await page.waitForURL(/sort=input/);
    await page.getByLabel('Find').fill('chat-model');
    await page.getByText(/^1 of /).waitFor();
    assert.match(page.url(), /find=chat-model/);
    await page.getByLabel('Max input price').selectOption('$1');
    await page.getByText('No matching models').waitFor();
    assert.match(page.url(), /input=1/);
    await page.getByLabel('Max input price').selectOption('$3');
    await page.getByLabel('Min context').selectOption('1,000,000');
    await page.getByText('No matching models').waitFor();
    await page.getByLabel('Min context').selectOption('any');
    await first.getByRole('link', { name: 'chat-model' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.match(
      await page.getByRole('group', { name: 'Providers' }).innerText(),
      /mock-chat[\s\S]*\$3\.00[\s\S]*\$15\.00/,
    );
    await page.getByRole('link', { name: 'Open in the playground' }).click();
    await page.getByRole('region', { name: 'chat-model' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('three models are compared, with the cost and the time of each, paid by a token of a key', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/playground?models=${MODELS}`);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Send' }).isDisabled(), 'nobody pays yet');
    await page.getByLabel('At most, in USD').fill('0.50');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText(/Charged to test key, at most \$0\.50/).waitFor();
    await page.getByRole('button', { name: 'Files, tools, parameters' }).click();
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByLabel('Temperature', { exact: true }).fill('0.5');
    await page.getByLabel('Prompt', { exact: true }).fill('Who are you?');
    await page.keyboard.press('Control+Enter');
    for (const model of MODELS.split(',')) {
      const column = page.getByRole('region', { name: model });
      await column.getByText(ANSWER).waitFor();
      await column.getByText(/\$0\.\d+, first text after .* total/).waitFor();
    }
    const [token] = await gateway.accounts.directory.listSessionTokens({});
    assert.ok(token);
    assert.equal(token.endUserId, 'playground');
    const rows = await gateway.database.query<{ model_id: string }>({
      text: 'SELECT model_id FROM request_log WHERE session_token_id = $1',
      values: [token.id],
    });
    assert.deepEqual(rows.rows.map(({ model_id: id }) => id).sort(), MODELS.split(',').sort());
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    assert.doesNotMatch(kept, /slc/);
    assert.deepEqual(faults, []);
  });

  test('a follow-up carries each model’s own answer, and the export sends the same', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/playground?models=chat-model`);
    await page.getByLabel('Or paste an API key').fill(gateway.apiKey);
    await page.getByRole('button', { name: 'Use it' }).click();
    const column = page.getByRole('region', { name: 'chat-model' });
    for (const [index, prompt] of ['first', 'second'].entries()) {
      await page.getByLabel('Prompt', { exact: true }).fill(prompt);
      await page.getByRole('button', { name: 'Send' }).click();
      await column
        .getByText(/s total/)
        .nth(index)
        .waitFor();
    }
    const sent = gateway.upstream.truths.at(-1)?.body as { messages: { content: string }[] };
    assert.deepEqual(
      sent.messages.map(({ content }) => content),
      ['first', ANSWER, 'second'],
    );
    await page.getByLabel('Prompt', { exact: true }).fill("it's third");
    await page.getByRole('button', { name: 'Export as code' }).click();
    const code = page.locator('pre[aria-label=Code]');
    assert.match(await code.innerText(), /curl -N .*\/v1\/chat\/completions[\s\S]*it'\\''s third/);
    for (const [language, wanted] of [
      ['Python', /stream=True/],
      ['TypeScript', /new OpenAI/],
    ] as const) {
      await page.getByText(language, { exact: true }).click();
      await page.waitForFunction((source) => new RegExp(source).test(document.body.innerText), wanted.source);
    }
    assert.doesNotMatch(await code.innerText(), /slc_/);
    assert.deepEqual(faults, []);
  });

  test('PDFs and texts are attached, and the result of a tool is given by hand', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const { upstream } = gateway;
    await page.goto(`${gateway.url}/dashboard/#/playground?models=chat-model`);
    await page.getByLabel('Or paste an API key').fill(gateway.apiKey);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByRole('button', { name: 'Files, tools, parameters' }).click();
    await page.getByLabel('Tools: an array of functions').fill('[{"name":"weather"}]');
    await page.locator('input[type=file]').setInputFiles([
      { name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') },
      { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('It rained.') },
    ]);
    await page.getByText('With a.pdf, notes.md').waitFor();
    await page.getByLabel('Prompt', { exact: true }).fill('How is it?');
    upstream.clear();
    upstream.script({
      reply: answer({ text: '', toolCalls: [{ id: 'call_1', name: 'weather', input: { city: 'Oslo' } }] }),
    });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('What weather returns').fill('rain');
    const [asked] = (upstream.truths.at(-1)?.body as unknown as Asked).messages;
    assert.match(JSON.stringify(asked), /"file_data":"data:application\/pdf;base64,JVBERi0xLjQ="/);
    assert.match(JSON.stringify(asked), /<file name=\\"notes.md\\">\\nIt rained\./);
    assert.deepEqual(await findViolations(page), []);
    upstream.clear();
    upstream.script({ reply: answer({ text: ANSWER }) });
    await page.getByRole('button', { name: 'Send the results' }).click();
    await page.getByRole('region', { name: 'chat-model' }).getByText(ANSWER).waitFor();
    const { messages } = upstream.truths.at(-1)?.body as unknown as Asked;
    assert.deepEqual(
      messages.slice(1).map(({ role, content, tool_call_id: id }) => [role, content || null, id]),
      [
        ['assistant', null, undefined],
        ['tool', 'rain', 'call_1'],
      ],
    );
    assert.deepEqual(faults, []);
  });

  test('what the last 30 days would have cost on another model is computed, with what is assumed', async () => {
    await (
      await gateway.post(CHAT, { model: 'chat-model', messages: [{ role: 'user', content: 'x' }] })
    ).text();
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/models`);
    await page.getByRole('link', { name: 'What would it have cost?' }).click();
    await page.getByRole('combobox', { name: 'On the model' }).fill('shared-model');
    await page.getByRole('combobox', { name: 'Instead of' }).fill('chat-model');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compare' }).click();
    const table = page.getByRole('group', { name: 'By provider' });
    await table.getByRole('cell', { name: /^mock-spare/ }).waitFor();
    assert.match(await table.innerText(), /mock-spare[\s\S]*% more/);
    await page.getByRole('heading', { name: 'Assumptions' }).waitFor();
    assert.match(page.url(), /model=shared-model&from=chat-model/);
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(faults, []);
  });

  test('of a model that is not known the calculator says how to find one, not to try again', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/models/calculator?model=chat-modle`);
    const told = page.getByRole('alert').filter({ hasText: 'Choose another model' });
    await told.getByText(/model "chat-modle" does not exist/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    assert.deepEqual(await findViolations(page), []);
    await told.getByRole('link').click();
    await page.getByRole('table', { name: 'Models' }).getByText('chat-model', { exact: true }).waitFor();
  });

  test('a refusal and a question that cannot be sent are shown', async () => {
    await using tab = await openTab(gateway);
    const { page } = tab;
    await page.goto(`${gateway.url}/dashboard/#/playground?models=no-such-model`);
    await page.getByLabel('Or paste an API key').fill(gateway.apiKey);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByLabel('Prompt', { exact: true }).fill('hello');
    await page.getByRole('button', { name: 'Files, tools, parameters' }).click();
    await page.getByLabel('Temperature', { exact: true }).fill('hot');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Temperature must be a number').waitFor();
    await page.getByLabel('Temperature', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Send' }).click();
    await page
      .getByRole('region', { name: 'no-such-model' })
      .getByText(/no-such-model/)
      .nth(1)
      .waitFor();
  });

  test('in both colour schemes and at every width nothing is wrong with any of these screens', async () => {
    await (
      await gateway.post(CHAT, {
        model: 'chat-model',
        messages: [{ role: 'user', content: 'x' }],
        stream: true,
      })
    ).text();
    await using tab = await openTab(gateway, { viewport: { width: 1440, height: 900 } });
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/models`);
    await page.getByRole('table', { name: 'Models' }).getByRole('row').nth(1).waitFor();
    assert.deepEqual(await inspect(page, 'models'), []);
    await page.goto(`${gateway.url}/dashboard/#/models/chat-model`);
    await page.getByRole('group', { name: 'Providers' }).waitFor();
    assert.deepEqual(await inspect(page, 'model'), []);
    await page.goto(`${gateway.url}/dashboard/#/playground?models=${MODELS}`);
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByLabel('Prompt', { exact: true }).fill('Who are you?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page
      .getByText(/s total/)
      .nth(2)
      .waitFor();
    assert.deepEqual(await inspect(page, 'playground'), []);
    assert.deepEqual(faults, []);
  });
});

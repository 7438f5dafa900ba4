import type { Locator, Page } from 'playwright-core';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRow } from '../../test/support/fresh-accounts.ts';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { answer } from '../../test/support/upstream-replies.ts';
import { until } from '../../test/support/until.ts';
import { noBrowser, openTab } from './browser.ts';
import { createPayloads } from '../../src/logs/payloads/payloads.ts';
import { BODIES, FORMATS, composeAnswer } from './conversations.ts';
import { MARK, PAYLOADS } from './payloads.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

test('there are 200 payloads, each different', () => {
  assert.equal(new Set(PAYLOADS).size, 200);
});

describe('texts of callers and providers in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    await plant(gateway);
    await plantTalks(gateway);
  });
  after(() => gateway[Symbol.asyncDispose]());

  test('in names of models, clients, sessions and agents, in errors and labels, none of 200 payloads runs', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    const open = async (place: string): Promise<void> => {
      await page.goto(`${gateway.url}/dashboard/#/${place}`);
      await page.waitForFunction(() => !/Loading /.test(document.body.innerText));
    };
    const seen = new Set<string>();
    const look = async (): Promise<void> => {
      const text = await page.evaluate(() => document.body.textContent);
      for (const payload of PAYLOADS) if (text.includes(payload)) seen.add(payload);
      await assertInert(page);
    };
    for (const by of ['model', 'provider', 'key']) {
      await open(`?by=${by}`);
      await look();
    }
    for (const place of [
      'requests',
      'sessions',
      'sessions/planted',
      'access',
      'operations?part=audit',
      'models',
    ]) {
      await open(place);
      await look();
      await scrollThrough(page, look);
      // The next rows are loaded while the list is scrolled.
      if (place === 'requests')
        await until('each payload was shown as text', async () => {
          await scrollThrough(page, look);
          return PAYLOADS.every((payload) => seen.has(payload));
        });
    }
    for (const id of ['req_000', 'req_100', 'req_199']) {
      await open(`requests/${id}`);
      await page
        .getByText(PAYLOADS[Number(id.slice(4))] ?? '')
        .first()
        .waitFor();
      await look();
    }
    assert.deepEqual(faults, []);
  });

  test('in a conversation of any format, its system prompt, tools and results, none of them runs', async () => {
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    for (const format of FORMATS) {
      await page.goto(`${gateway.url}/dashboard/#/requests/req_of_${format}`);
      await page.getByText(`req_of_${format}`, { exact: true }).waitFor();
      const conversation = page.getByRole('region', { name: 'Conversation' });
      await conversation.getByRole('group', { name: 'Answer' }).waitFor();
      await openAll(conversation);
      const shown = await conversation.evaluate(({ textContent }) => textContent);
      // System prompt, question, answer, name and description of the tool, result; the answer's thinking, text and call.
      for (const payload of PAYLOADS) assert.ok(shown.split(payload).length > 9, `${format} ${payload}`);
      await assertInert(page);
      await conversation.getByRole('button', { name: 'As it was sent' }).click();
      await openAll(conversation);
      await assertInert(page);
      const pictures = await page
        .locator('img')
        .evaluateAll((all) => all.map((one) => one.getAttribute('src')));
      for (const source of pictures) assert.match(source ?? '', /^data:image\/png;base64,[\w+/=]+$/);
    }
    assert.deepEqual(faults, []);
  });

  test('in an answer, its thinking and its calls of tools, none of them runs', async () => {
    const text = PAYLOADS.join('\n');
    const [first = '', second = ''] = PAYLOADS;
    gateway.upstream.script({
      reply: answer({
        text,
        reasoning: text,
        toolCalls: [{ id: 'call_1', name: 'tool', input: { [first]: second } }],
      }),
    });
    await using tab = await openTab(gateway);
    const { page, faults } = tab;
    await page.goto(`${gateway.url}/dashboard/#/playground?models=messages-model`);
    await page.getByLabel('Or paste an API key').fill(gateway.apiKey);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByLabel('Prompt', { exact: true }).fill(first);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/s total/).waitFor();
    const shown = await page
      .getByRole('region', { name: 'messages-model' })
      .evaluate(({ textContent }) => textContent);
    for (const payload of PAYLOADS) assert.ok(shown.includes(payload), payload);
    await assertInert(page);
    assert.deepEqual(faults, []);
  });
});

/** Opens what is folded and clipped, until nothing is. */
async function openAll(place: Locator): Promise<void> {
  await place.evaluate(async (element) => {
    for (let opened = 1; opened > 0;) {
      const folds = [...element.querySelectorAll('details:not([open])')] as HTMLDetailsElement[];
      const buttons = [...element.querySelectorAll('button')].filter((button) =>
        button.textContent.startsWith('Show all'),
      );
      for (const fold of folds) fold.open = true;
      for (const button of buttons) button.click();
      opened = folds.length + buttons.length;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
  });
}

async function assertInert(page: Page): Promise<void> {
  assert.equal(await page.evaluate((mark) => mark in globalThis, MARK), false);
  const made = page.locator(
    'img[src=x], iframe, object, embed, svg[onload], base, marquee, math, video, audio',
  );
  assert.equal(await made.count(), 0);
}

/** Rows that are not in sight are not in the document. */
async function scrollThrough(page: Page, look: () => Promise<void>): Promise<void> {
  // A handle, because the list of the page before may still be shown, and go.
  const [list] = await page.locator('.rows').elementHandles();
  if (!list) return;
  for (let top = 0; ; top += 500) {
    const height = await list.evaluate((node, to) => {
      const element = node as Element;
      element.scrollTo(0, to);
      return element.scrollHeight;
    }, top);
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    await look();
    if (top > height) return;
  }
}

/** One row for each payload, of one session and of sessions of their own, and labels of keys. */
async function plant({ account, accounts, database }: InProcessGateway): Promise<void> {
  const rows = PAYLOADS.map((payload, index) =>
    createRow({ ...account, keyLabel: payload }, `req_${String(index).padStart(3, '0')}`, {
      startedAt: Date.now() - index * SECOND_MS,
      requestedModel: payload,
      modelId: payload,
      providerId: payload,
      errorMessage: payload,
      finishReason: 'upstream_error',
      status: 502,
      sessionId: index % 2 === 0 ? 'planted' : payload,
      agentId: payload,
      clientName: payload,
      userAgent: payload,
      endUserId: payload,
      turnId: payload,
    }),
  );
  const talks = FORMATS.map((format) =>
    createRow({ ...account, keyLabel: format }, `req_of_${format}`, {
      format,
      startedAt: Date.now() - DAY_MS,
    }),
  );
  await database.query({
    text: 'SELECT request_log_store($1)',
    values: [JSON.stringify([...rows, ...talks])],
  });
  for (const payload of PAYLOADS.slice(0, 50))
    await accounts.directory.createKey({ projectId: account.projectId, label: payload });
  await until('the rows are stored', async () => {
    const { rows: found } = await database.query({ text: 'SELECT 1 FROM request_log' });
    return found.length >= PAYLOADS.length + FORMATS.length;
  });
}

/** Conversations in which every text is all payloads. */
async function plantTalks({ account, database }: InProcessGateway): Promise<void> {
  const text = PAYLOADS.join('\n');
  const said = {
    system: text,
    question: text,
    thinking: text,
    answer: text,
    tool: text,
    description: text,
    input: JSON.stringify({ [text]: text }),
    result: text,
  };
  const toText = (body: object) => {
    const kept = Buffer.from(JSON.stringify(body));
    return { kept, bytes: kept.length };
  };
  for (const format of FORMATS)
    await createPayloads({ database }).save({
      requestId: `req_of_${format}`,
      ...account,
      days: 1,
      status: 200,
      contentType: 'application/json',
      request: toText(BODIES[format](said, text).request),
      answer: toText(composeAnswer(format, said)),
      headers: { 'x-gateway-attempts': text },
    });
}

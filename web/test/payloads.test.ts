import type { Page } from 'playwright-core';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRow } from '../../test/support/fresh-accounts.ts';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { answer } from '../../test/support/upstream-replies.ts';
import { until } from '../../test/support/until.ts';
import { noBrowser, openTab } from './browser.ts';
import { MARK, PAYLOADS } from './payloads.ts';

const SECOND_MS = 1_000;

test('there are 200 payloads, each different', () => {
  assert.equal(new Set(PAYLOADS).size, 200);
});

describe('texts of callers and providers in a browser', { skip: noBrowser }, () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
    await plant(gateway);
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
    }
    assert.deepEqual(
      PAYLOADS.filter((payload) => !seen.has(payload)),
      [],
      'each was shown as text',
    );
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
    await page.getByText(/in all/).waitFor();
    const shown = await page
      .getByRole('region', { name: 'messages-model' })
      .evaluate(({ textContent }) => textContent);
    for (const payload of PAYLOADS) assert.ok(shown.includes(payload), payload);
    await assertInert(page);
    assert.deepEqual(faults, []);
  });
});

async function assertInert(page: Page): Promise<void> {
  assert.equal(await page.evaluate((mark) => mark in globalThis, MARK), false);
  const made = page.locator(
    'img[src=x], iframe, object, embed, svg[onload], base, marquee, math, video, audio',
  );
  assert.equal(await made.count(), 0);
}

/** Rows that are not in sight are not in the document. */
async function scrollThrough(page: Page, look: () => Promise<void>): Promise<void> {
  const list = page.locator('.rows').first();
  if ((await list.count()) === 0) return;
  for (let top = 0; ; top += 500) {
    const height = await list.evaluate((element, to) => {
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
      ...{ startedAt: Date.now() - index * SECOND_MS, requestedModel: payload, modelId: payload },
      ...{ providerId: payload, errorMessage: payload, finishReason: 'upstream_error', status: 502 },
      ...{ sessionId: index % 2 === 0 ? 'planted' : payload, agentId: payload, clientName: payload },
      ...{ userAgent: payload, endUserId: payload, turnId: payload },
    }),
  );
  await database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify(rows)] });
  for (const payload of PAYLOADS.slice(0, 50))
    await accounts.directory.createKey({ projectId: account.projectId, label: payload });
  await until('the rows are stored', async () => {
    const { rows: found } = await database.query({ text: 'SELECT 1 FROM request_log' });
    return found.length >= PAYLOADS.length;
  });
}

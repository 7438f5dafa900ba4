import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, formatUsd, parseUsd } from '#base';
import { CUT, cut } from '../support/cut-tool-streams.ts';
import { keepPrices, openInProcess } from '../support/in-process.ts';
import type { UpstreamFormat } from '../support/upstream-exchange.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { assertRefused } from '../support/refusal.ts';
import {
  type ToolAnswer,
  answerChat,
  answerGemini,
  answerMessages,
  answerResponses,
  replyWith,
} from '../support/tool-answers.ts';
import {
  CODEX,
  type Asked,
  chat,
  gemini,
  grounded,
  responses,
  search,
  unit,
  web,
} from '../support/tool-rows.ts';
import {
  CLAUDE_SEARCH,
  FORMATS,
  FUNCTION,
  REFUSED,
  WEB_SEARCH,
  addItem,
  bringIn,
  configure,
  of,
} from '../support/unpriced-tools.ts';

const gateway = shareGateway({ config: ({ baseUrl }) => configure(baseUrl) });

const PLAIN: Record<UpstreamFormat, ToolAnswer> = {
  chat: answerChat({}),
  messages: answerMessages({}),
  responses: answerResponses([]),
  gemini: answerGemini({}),
};

async function countRows(): Promise<number> {
  const { rows } = await gateway.database.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM request_log',
  });
  return rows[0]?.count ?? 0;
}

/** The key of an organization with its own provider keys. */
async function bringKeys(): Promise<string> {
  const { apiKey, organizationId } = await gateway.createAccount();
  for (const providerId of [...FORMATS.map((id) => `poor-${id}`), 'openai', 'priced'])
    await gateway.accounts.directory.setProviderKey(
      { organizationId, providerId, apiKey: 'sk-of-its-own' },
      gateway.terms,
    );
  return apiKey;
}

for (const [name, [format, { path, body }, named, param]] of Object.entries(REFUSED)) {
  test(`${name} is refused by name, at no cost`, async () => {
    const rows = await countRows();
    const response = await gateway.post(path, body);
    const shown = response.clone();
    const message = await assertRefused(gateway, response, { format, status: 400, code: 'unpriced_option' });
    assert.ok(message.includes(`the tool ${named} has no known price`), message);
    if (format === 'chat' || format === 'responses')
      assert.equal(((await shown.json()) as { error: JsonObject }).error['param'], param);
    assert.equal(gateway.upstream.truths.length, 0, 'no provider is called');
    assert.equal((await countRows()) - rows, 1, 'one row');
    assert.equal((await gateway.getRow(response)).provider, '0');
  });

  test(`${name} passes with a key of one’s own`, async () => {
    const apiKey = await bringKeys();
    gateway.upstream.script({ reply: (exchange) => replyWith(PLAIN[exchange.truth.format])(exchange) });
    const response = await gateway.post(path, body, { 'x-api-key': apiKey });
    assert.equal(response.status, 200, await response.text());
    assert.equal(gateway.upstream.truths.length, 1);
    assert.equal((await gateway.getRow(response)).customer, '0');
  });
}

test('tools without a charge, and client tools, need no price in a conversation', async () => {
  const asked: readonly [Asked, ToolAnswer][] = [
    [of('m-messages', bringIn({ name: 'look', input_schema: { type: 'object' } })), PLAIN.messages],
    [of('m-messages', bringIn({ type: 'bash_20250124', name: 'bash' })), PLAIN.messages],
    [of('m-responses', addItem(FUNCTION)), PLAIN.responses],
  ];
  for (const [{ path, body }, answer] of asked) {
    gateway.upstream.script({ reply: replyWith(answer) });
    const response = await gateway.post(path, body);
    assert.equal(response.status, 200, await response.text());
  }
});

test('a search tool of an earlier turn is held for and charged', async () => {
  gateway.upstream.script({ reply: replyWith(answerMessages({ counts: { web_search_requests: 2 } })) });
  const { path, body } = bringIn(CLAUDE_SEARCH);
  const response = await gateway.post(path, body);
  assert.equal(response.status, 200, await response.text());
  const { customer, units } = await gateway.getRow(response);
  // 1,000 × 3 + 100 × 15 per million, and 2 × 0.01.
  assert.deepEqual([formatUsd(BigInt(customer)), units], ['0.0245', [unit('web_search', 2)]]);
});

test('a mapping with a known price is used instead of a cheaper one without', async () => {
  for (const [tools, provider, cost] of [
    // 1,000 × 1 + 100 × 10 per million; 1,000 × 2 + 100 × 10, and 2 × 0.002.
    [[FUNCTION], 'cheap', '0.002'],
    [[WEB_SEARCH], 'priced', '0.007'],
  ] as const) {
    gateway.upstream.script({
      reply: replyWith(answerResponses(provider === 'priced' ? [search('1'), search('2')] : [])),
    });
    const { path, body } = of('m-both', responses([...tools]));
    const response = await gateway.post(path, body);
    assert.equal(response.status, 200, await response.text());
    const row = await gateway.getRow(response);
    assert.deepEqual([row.providerId, formatUsd(BigInt(row.customer))], [provider, cost]);
  }
});

test('a price in `sluice.yaml` takes precedence over the catalogue’s for its models', async () => {
  for (const [model, cost] of [
    // 0.0008 for the tokens and 3 × 0.001; 0.00055 and 0.035 for the prompt.
    ['gemini-3-flash-preview', '0.0038'],
    ['gemini-2.5-flash', '0.03555'],
  ] as const) {
    gateway.upstream.script({ reply: replyWith(answerGemini(grounded(['a', 'b', 'c'], web))) });
    const { path, body } = gemini(model, 'googleSearch');
    const response = await gateway.post(path, body);
    assert.equal(response.status, 200, await response.text());
    assert.equal(formatUsd(BigInt((await gateway.getRow(response)).customer)), cost, model);
  }
});

test('a tool that `sluice.yaml` refuses is refused with its reason, even where a key is one’s own', async () => {
  const { path, body } = of(
    'priced/m-both',
    responses([{ type: 'code_interpreter', container: { type: 'auto' } }]),
  );
  for (const apiKey of [gateway.account.apiKey, await bringKeys()]) {
    const response = await gateway.post(path, body, { 'x-api-key': apiKey });
    const message = await assertRefused(gateway, response, {
      format: 'responses',
      status: 400,
      code: 'unsupported_feature',
    });
    assert.match(message, /code_interpreter is refused .*no code runs here/);
  }
});

test('the search that an agent offers with its own tools is omitted where it has no price', async () => {
  gateway.upstream.script({ reply: replyWith(PLAIN.responses) });
  const { path, body } = of('m-responses', responses([FUNCTION, WEB_SEARCH]));
  const response = await gateway.post(path, body);
  assert.equal(response.status, 200, await response.text());
  const sent = gateway.upstream.truths[0]?.body['tools'] as JsonObject[];
  assert.deepEqual(
    sent.map(({ type }) => type),
    ['function'],
  );
  assert.equal(formatUsd(BigInt((await gateway.getRow(response)).customer)), '0.002');
});

test('with a key of one’s own that search is sent', async () => {
  gateway.upstream.script({ reply: replyWith(PLAIN.responses) });
  const { path, body } = of('m-responses', responses([FUNCTION, WEB_SEARCH]));
  const response = await gateway.post(path, body, { 'x-api-key': await bringKeys() });
  assert.equal(response.status, 200, await response.text());
  assert.deepEqual((gateway.upstream.truths[0]?.body['tools'] as JsonObject[]).at(-1), WEB_SEARCH);
});

test('each of two choices is held and charged for its own searches', async () => {
  gateway.upstream.script({ reply: replyWith(answerResponses([search('1'), search('2')])) });
  const { path, body } = chat(CODEX, { web_search_options: {}, n: 2 });
  const { apiKey } = await gateway.createAccount({ credits: 1n });
  const refused = await gateway.post(path, body, { 'x-api-key': apiKey });
  // Twice a context at 1.75, 200 tokens at 14 and ten searches.
  assert.match(await refused.text(), /may cost up to 1\.6056 USD/);
  const response = await gateway.post(path, body);
  assert.equal(response.status, 200, await response.text());
  const { customer, units } = await gateway.getRow(response);
  // Twice 0.00315 and two searches.
  assert.deepEqual([formatUsd(BigInt(customer)), units], ['0.0463', [unit('web_search', 4)]]);
});

for (const [format, [{ path, body }, reported, kind, count, tools, [input, output]]] of Object.entries(CUT)) {
  test(`a ${format} stream that is cut is charged for the searches received`, async () => {
    gateway.upstream.script({ reply: cut(reported) });
    const response = await gateway.post(path, body);
    assert.equal(response.status, 200);
    await response.text().catch(() => '');
    const row = await gateway.waitForRow(response);
    assert.equal(row.estimated, true);
    assert.deepEqual(row.units, [unit(kind, count)]);
    const { inputUncached, outputText } = row.usage;
    assert.ok(outputText > 0);
    const tokens = BigInt(inputUncached) * input + BigInt(outputText) * output;
    assert.equal(row.customer, (tokens + (parseUsd(tools) ?? 0n)).toString());
  });
}

test('`allowUnpriced` permits a tool without a price, and `ledger explain` names each tool with its price', async () => {
  await using free = await openInProcess({
    config: `allowUnpriced: true\n${configure(gateway.upstream.baseUrl)}`,
  });
  await keepPrices(free.database, free.catalogue);
  gateway.upstream.script({ reply: replyWith(answerGemini(grounded(['a', 'b', 'c'], web))) });
  const unpriced = gemini('m-gemini', 'googleSearch');
  const passed = await free.post(unpriced.path, unpriced.body);
  assert.equal(passed.status, 200, await passed.text());
  gateway.upstream.script({ reply: replyWith(answerResponses([search('1'), search('2'), search('3')])) });
  const priced = responses([WEB_SEARCH]);
  const response = await free.post(priced.path, priced.body);
  assert.equal(response.status, 200, await response.text());
  const row = await free.waitForRow(passed);
  // 1,000 × 1 + 100 × 10 per million, and nothing for the searches.
  assert.deepEqual([formatUsd(BigInt(row.customer)), row.units ?? []], ['0.002', []]);
  const { requestId } = await free.waitForRow(response);
  const { lines, total } = await free.run('ledger', 'explain', requestId);
  const { part, detail, units, price, amount } = (lines as JsonObject[]).at(-1) ?? {};
  assert.deepEqual([part, detail, units, price, amount], ['hosted_tool', 'web_search', 3, '0.01', '0.03']);
  assert.equal(total, '0.03315');
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LogRow } from '#logs';
import { askAs } from '../support/ask-as.ts';
import { awaitEarlier } from '../support/await-earlier.ts';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { describeAttempts } from '../support/routed-gateway.ts';
import { SDK_FORMATS, viewAnswer } from '../support/sdk-views.ts';
import { until } from '../support/until.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { answer, cutAfter, fail, haltedAnswer, hang } from '../support/upstream-replies.ts';

const BEGUN = 'It was a dark and stormy ';
const REST = 'night; the rain fell in torrents.';
/** The events of a Chat stream before its text. */
const OPENING = 1;

let providers: TwoProviders;
let gateway: Gateway;
let books: Books;
let projectId: string;

before(async () => {
  providers = await TwoProviders.start();
  gateway = await startGateway({ config: providers.config });
  books = await openBooks(gateway.dataDir);
  const { stdout } = await gateway.cli('projects', 'list', '--json');
  [projectId = ''] = (JSON.parse(stdout) as { data: { id: string }[] }).data.map(({ id }) => id);
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await providers[Symbol.asyncDispose]();
});

async function setContinue(word: 'on' | 'off'): Promise<void> {
  const { code, stderr } = await gateway.cli('projects', 'continue', projectId, word);
  assert.equal(code, 0, stderr);
}

/** The first provider ends its stream after these words. */
function scriptCut(text = BEGUN): void {
  providers.script(cutAfter(OPENING + 5, { text, chunks: 5 }), answer({ text: REST, chunks: 3 }));
}

for (const format of SDK_FORMATS) {
  test(`${format}: the official SDK reads a stream that a second provider continues as one answer; both are paid`, async () => {
    await setContinue('on');
    scriptCut();
    const model = providers.takeShared();
    const view = await viewAnswer(format, 'stream', {
      url: format === 'chat' || format === 'responses' ? `${gateway.url}/v1` : gateway.url,
      apiKey: gateway.apiKey,
      model,
      marker: 'tell a story',
    });
    assert.equal(view.error, undefined);
    assert.ok(readText(view.events).includes(BEGUN + REST), JSON.stringify(view));
    const [asked] = providers.second.truths;
    const messages = asked?.body['messages'] as { role: string; content: unknown }[];
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant'],
    );
    assert.match(JSON.stringify(messages[1]?.content), new RegExp(`"${BEGUN.trimEnd()}"`));
    const row = await books.getRow(String(asked?.headers['x-request-id']));
    assert.deepEqual(describeAttempts(row), ['first broken', 'second answered']);
    assert.deepEqual([row.finishReason, row.status, row.providerId], ['completed', 200, 'second']);
    assert.equal(row.attempts[1]?.reason, 'continued');
    const { inputTokens = 0, outputTokens = 0 } = asked ?? {};
    const rest = BigInt(inputTokens) * 2_000_000n + BigInt(outputTokens) * 2_000_000n;
    assert.ok(BigInt(row.customer) > rest, 'the beginning is paid, too');
    assert.equal(row.customer, row.provider);
    assert.equal(row.estimated, true, 'the first provider has reported nothing');
  });
}

/** All texts of a stream, joined in order. */
function readText(events: readonly unknown[]): string {
  const written = JSON.stringify(events);
  const texts = written.matchAll(/"(?:content|text|delta)":("(?:[^"\\]|\\.)*")/gu);
  return [...texts].map(([, text = '""']) => JSON.parse(text) as string).join('');
}

for (const format of SDK_FORMATS)
  test(`${format}: the end of a continued stream has each call, and that of another only where it always has`, async () => {
    await setContinue('on');
    const model = providers.takeShared();
    const routesOf = async (headers = {}) => {
      const { path, body } = askAs(format, { model, stream: true, most: 64, text: 'hello' });
      const response = await gateway.post(path, body, headers);
      const text = await response.text();
      return [...text.matchAll(/"route":(\[[^\]]*\])/g)].map(([, route = '[]']) =>
        (JSON.parse(route) as { provider: string; outcome: string }[]).map(
          ({ provider, outcome }) => `${provider} ${outcome}`,
        ),
      );
    };
    providers.script(answer());
    assert.deepEqual(await routesOf(), format === 'chat' ? [['first answered']] : []);
    scriptCut();
    assert.deepEqual(await routesOf(), [['first broken', 'second answered']]);
    scriptCut();
    assert.deepEqual(await routesOf({ 'x-no-metadata': 'true' }), []);
  });

async function ask(model: string): Promise<{ text: string; row: LogRow }> {
  const body = { model, max_tokens: 64, stream: true, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/messages', body);
  const text = await response.text();
  return { text, row: await books.getRow(response.headers.get('x-request-id') ?? '') };
}

test('without the setting a stream that is cut ends with an error', async () => {
  await setContinue('off');
  scriptCut();
  const { text, row } = await ask(providers.takeShared());
  assert.match(text, /event: error/);
  assert.equal(providers.second.truths.length, 0);
  assert.deepEqual(describeAttempts(row), ['first broken']);
});

test('where no provider can continue, the answer ends as it was cut, and its beginning is paid', async () => {
  await setContinue('on');
  providers.script(cutAfter(OPENING + 5, { text: BEGUN, chunks: 5 }), fail(500, 'api_error'));
  const { text, row } = await ask(providers.takeShared());
  assert.equal(text.match(/event: error/g)?.length, 1);
  assert.deepEqual(describeAttempts(row).slice(0, 2), ['first broken', 'second broken']);
  assert.equal(row.providerId, 'first');
  assert.ok(BigInt(row.customer) > 0n);
  const alone = await ask(providers.takeAlone());
  assert.match(alone.text, /event: error/, 'a Chat provider answers anew, and is not asked to continue');
  assert.equal(providers.first.truths.length, 2);
});

test('a stream whose second provider is cut, too, is continued again', async () => {
  await setContinue('on');
  let calls = 0;
  providers.script(cutAfter(OPENING + 5, { text: BEGUN, chunks: 5 }), (exchange) => {
    calls += 1;
    const reply = calls === 1 ? cutAfter(5, { text: 'night; ', chunks: 2 }) : answer({ text: 'rain fell.' });
    return reply(exchange);
  });
  const { text, row } = await ask(providers.takeShared());
  const written = [...text.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, piece]) => piece).join('');
  assert.equal(written, 'It was a dark and stormy night; rain fell.');
  assert.deepEqual(describeAttempts(row), ['first broken', 'second broken', 'second answered']);
  const cut = [BEGUN, 'night; '].map((piece) => Math.ceil(piece.length / 4));
  const reported = providers.second.truths.at(-1)?.outputTokens ?? 0;
  assert.equal(
    row.usage.outputText,
    cut.reduce((sum, tokens) => sum + tokens, reported),
    'each is paid once',
  );
});

test('a caller that disconnects while another provider is asked to continue pays the beginning, and the row says canceled', async () => {
  await setContinue('on');
  const gone = Promise.withResolvers<undefined>();
  providers.script(cutAfter(OPENING + 5, { text: BEGUN, chunks: 5 }), haltedAnswer(gone.promise));
  const leaving = new AbortController();
  const body = {
    model: providers.takeShared(),
    max_tokens: 64,
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  };
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  await until('the second provider is asked', async () => providers.second.truths.length > 0);
  leaving.abort();
  await awaitEarlier(gateway); // it has noticed by now
  gone.resolve(undefined);
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  assert.equal(describeAttempts(row)[0], 'first broken');
  assert.equal(row.finishReason, 'canceled');
  assert.ok(BigInt(row.customer) > 0n);
});

test('a silent provider that another outpaced is the operator’s cost, also if the other is cut and the answer continued', async () => {
  await setContinue('on');
  await using hedging = await startGateway({
    config: providers.config,
    env: { SLUICE_ADAPTIVE_ROUTING: 'on' },
  });
  await using hedged = await openBooks(hedging.dataDir);
  const { data } = (await hedging.run('projects', 'list')) as { data: { id: string }[] };
  await hedging.run('projects', 'continue', data[0]?.id ?? '', 'on');
  let calls = 0;
  providers.script(hang(), (exchange) => {
    calls += 1;
    const reply = calls === 1 ? cutAfter(OPENING + 5, { text: BEGUN, chunks: 5 }) : answer({ text: REST });
    return reply(exchange);
  });
  const body = {
    model: providers.takeShared(),
    max_tokens: 64,
    stream: true,
    messages: [{ role: 'user', content: 'tell a story' }],
  };
  const response = await hedging.post('/v1/messages', body);
  const text = await response.text();
  const row = await hedged.getRow(response.headers.get('x-request-id') ?? '');
  assert.deepEqual(describeAttempts(row), ['first outpaced', 'second broken', 'second answered']);
  const { modifiers = [] } = row;
  const paid = modifiers.filter(({ providerId }) => providerId === 'second');
  const sum = (amounts: readonly string[]): bigint => amounts.reduce((all, one) => all + BigInt(one), 0n);
  assert.equal(row.customer, String(sum(paid.map(({ amount }) => amount))));
  assert.equal(row.provider, String(sum(modifiers.map(({ amount }) => amount))));
  assert.ok(BigInt(row.customer) < BigInt(row.provider));
  const told = /"message_delta".*"input_tokens":(\d+)/.exec(text)?.[1];
  assert.equal(told, String(paid.reduce((all, { usage }) => all + (usage.inputUncached ?? 0), 0)));
});

test('the ledger is consistent afterwards', async () => {
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { answer, fail } from '../support/upstream-replies.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';

let providers: TwoProviders;
let gateway: Gateway;
let books: Books;

before(async () => {
  providers = await TwoProviders.start();
  gateway = await startGateway({ config: providers.config });
  books = await openBooks(gateway.dataDir);
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await providers[Symbol.asyncDispose]();
});

/** The providers called for a request with these members. */
async function callWith(model: string, members: Record<string, unknown>, path = CHAT): Promise<string> {
  const body = { model, max_tokens: 64, messages: [{ role: 'user', content: 'hello' }], ...members };
  const response = await gateway.post(path, body);
  const text = await response.text();
  if (response.status !== 200) return `${response.status} ${text}`;
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  return row.attempts.map(({ providerId }) => providerId).join(' ');
}

test('a request names the order of providers, leaves some out, or bounds their price', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const model = providers.takeShared();
  for (const path of [CHAT, MESSAGES]) {
    assert.equal(await callWith(model, {}, path), 'first');
    assert.equal(await callWith(model, { provider: { order: ['second'] } }, path), 'second');
    assert.equal(await callWith(model, { provider: { only: ['second'] } }, path), 'second');
    assert.equal(await callWith(model, { provider: { ignore: ['First'] } }, path), 'second');
    assert.equal(await callWith(model, { provider: { max_price: { prompt: 1.5 } } }, path), 'first');
    assert.match(
      await callWith(model, { provider: { max_price: { prompt: 0.5 } } }, path),
      /^403 .*costs more than 0.5/,
    );
  }
  assert.equal('provider' in (providers.first.truths[0]?.body ?? {}), false, 'providers never see it');
});

test('without fallbacks no other provider is asked', async () => {
  providers.script(fail(401, 'authentication_error'));
  const model = providers.takeShared();
  assert.match(await callWith(model, { provider: { allow_fallbacks: false } }), /^502/);
  assert.equal(providers.second.truths.length, 0);
});

test('other models are tried in their order after the requested one, at their own price', async () => {
  providers.script(fail(404, 'invalid_request_error', { message: 'no such model' }));
  const alone = providers.takeAlone();
  const model = providers.takeShared();
  assert.equal(await callWith(alone, { models: [model] }), 'first first second');
  assert.deepEqual(
    providers.first.truths.map(({ body }) => body['model']),
    [alone, model],
  );
});

test('a preference that cannot be met or read is an error that names it', async () => {
  const model = providers.takeShared();
  assert.match(
    await callWith(model, { provider: { only: ['nobody'] } }),
    /^403 .*request itself excludes every provider/,
  );
  assert.match(
    await callWith(model, { provider: { sort: 'beauty' } }),
    /^400 .*provider.sort.*price, latency, throughput/,
  );
  assert.match(
    await callWith(model, { provider: { quantizations: ['fp8'] } }),
    /^400 .*"param":"provider.quantizations"/,
  );
  assert.match(await callWith(model, { provider: { zdr: true } }), /^403 .*known to retain no data/);
  assert.match(await callWith(model, { models: ['nonesuch'] }), /^404 .*"param":"models.0"/);
});

test('a header takes the place of the member, for formats and clients without room for it', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const response = await fetch(`${gateway.url}/v1beta/models/${providers.takeShared()}:generateContent`, {
    method: 'POST',
    headers: {
      'x-goog-api-key': gateway.apiKey,
      'content-type': 'application/json',
      'x-gateway-provider': '{"order":["second"]}',
    },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }),
  });
  assert.equal(response.status, 200, await response.text());
  assert.equal(providers.second.truths.length, 1);
});

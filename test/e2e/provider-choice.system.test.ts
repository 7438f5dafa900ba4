import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { answer, fail } from '../support/upstream-replies.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
/** Much longer than the other provider takes. */
const LATE_MS = 800;
/** In seconds: far above what an answer takes that is not late, also on a busy machine. */
const PREFERRED_S = 0.7;

let providers: TwoProviders;
let gateway: Gateway;
let books: Books;
/** A model whose providers have weights in the configuration. */
let weighted: string;

before(async () => {
  providers = await TwoProviders.start();
  weighted = providers.takeShared();
  const weights = `routing: { weights: { ${weighted}: { first: 1, second: 1 } } }\n`;
  gateway = await startGateway({ config: `${weights}${providers.config}` });
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

test('a request asks for precisions of weights and for support of all its parameters; null asks for nothing', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const model = providers.takeShared();
  const asking = (provider: object, members = {}) => callWith(model, { ...members, provider });
  assert.equal(await asking({ quantizations: ['bf16', 'fp16'] }), 'second');
  assert.equal(await asking({ order: ['second'], require_parameters: true }), 'second');
  assert.equal(await asking({ order: ['second'], require_parameters: true }, { seed: 7 }), 'first');
  assert.equal(await asking({ order: ['second'], require_parameters: null }, { seed: 7 }), 'second');
  const pinned = await callWith(`second/${model}`, {
    seed: 7,
    logit_bias: {},
    provider: { require_parameters: true },
  });
  assert.match(pinned, /^403 .*none supports seed, logit_bias.*"param":"provider.require_parameters"/);
});

test('weights say how often a provider comes first; health and other preferences come before them', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const model = providers.takeShared();
  for (let request = 0; request < 5; request += 1)
    assert.equal(await callWith(model, { provider: { weights: { Second: 2, first: 0 } } }), 'second');
  const seen = new Set<string>();
  for (let request = 0; request < 40 && seen.size < 2; request += 1) seen.add(await callWith(weighted, {}));
  assert.deepEqual(seen, new Set(['first', 'second']));
  for (let request = 0; request < 5; request += 1)
    assert.equal(await callWith(weighted, { provider: { sort: 'price' } }), 'first');
  for (const weights of [{ first: -1 }, { first: 'much' }])
    assert.match(await callWith(model, { provider: { weights } }), /^400 .*provider\.weights/);
  const { id, secret } = await createOwned();
  await run('keys', 'routing', id, '--weights', 'second=1.5,first=0');
  assert.equal(await askAs(secret, { model }), `second/${model}`);
  const { routing } = await run('keys', 'routing', id);
  assert.deepEqual(routing, { weights: { first: 0, second: 1.5 } });
  const { code, stderr } = await gateway.cli('keys', 'routing', id, '--weights', 'second');
  assert.match(`${code} ${stderr}`, /^[12] .*such as anthropic=3,azure=1/s);
});

test('`sort` as an object sorts the providers of each model or, without a partition, those of all models together', async () => {
  providers.script(fail(404, 'invalid_request_error', { message: 'no such model' }));
  const [model, other] = [providers.takeShared(), providers.takeShared()];
  const sortedBy = (sort: object) => callWith(model, { models: [other], provider: { sort } });
  assert.equal(await sortedBy({ by: 'price' }), 'first second');
  assert.equal(await sortedBy({ by: 'price', partition: 'model' }), 'first second');
  assert.equal(await sortedBy({ by: 'price', partition: 'none' }), 'first first second');
  assert.match(await sortedBy({ by: 'beauty' }), /^400 .*provider\.sort/);
});

test('a provider that is slower than preferred comes after the others, and is called where there is no other', async () => {
  providers.script(async (exchange) => {
    await sleep(LATE_MS);
    await answer({ text: 'one after the other', chunks: 12 }, 20)(exchange);
  });
  const [model, alone] = [providers.takeShared(), providers.takeAlone()];
  const preferring = (provider: object, name = model) => callWith(name, { stream: true, provider });
  for (const name of [model, alone]) assert.equal(await preferring({ sort: 'price' }, name), 'first');
  for (const latency of [PREFERRED_S, { p50: PREFERRED_S }, { p50: 60, p99: PREFERRED_S }]) {
    assert.equal(await preferring({ preferred_max_latency: latency }), 'second', JSON.stringify(latency));
    assert.equal(await preferring({ preferred_max_latency: latency }, alone), 'first');
  }
  assert.equal(await preferring({ preferred_max_latency: { p90: 600 } }), 'first');
  assert.equal(await preferring({ preferred_min_throughput: 0.001 }), 'first');
  assert.equal(await preferring({ preferred_min_throughput: 1_000 }), 'second');
  for (const wrong of [0, { p42: 1 }, '1'])
    assert.match(
      await preferring({ preferred_max_latency: wrong }),
      /^400 .*provider\.preferred_max_latency/,
      JSON.stringify(wrong),
    );
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
    await callWith(model, { provider: { quantizations: ['fp9'] } }),
    /^400 .*"param":"provider.quantizations.0"/,
  );
  assert.match(
    await callWith(model, { provider: { quantizations: ['int4'] } }),
    /^403 .*known to have weights in int4/,
  );
  for (const refused of [{ enforce_distillable_text: true }, { max_price: { audio: 1 } }, { sort: 'exacto' }])
    assert.match(
      await callWith(model, { provider: refused }),
      new RegExp(`^400 .*"param":"provider\\.${Object.keys(refused)[0]}`),
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

async function askAs(
  key: string,
  { model, ...members }: Record<string, unknown>,
  path = CHAT,
): Promise<string> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      max_tokens: 64,
      messages: [{ role: 'user', content: 'hello' }],
      ...members,
    }),
  });
  const text = await response.text();
  if (response.status !== 200) return `${response.status} ${text}`;
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  return row.attempts.map(({ providerId, externalId }) => `${providerId}/${externalId}`).join(' ');
}

async function run(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await gateway.cli(...words, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

interface Owned {
  project: string;
  id: string;
  secret: string;
}

async function createOwned(): Promise<Owned> {
  const organization = await run('orgs', 'create', `org ${Math.trunc(performance.now() * 1000)}`);
  const project = String((await run('projects', 'create', '--org', String(organization['id']), 'web'))['id']);
  const { id, secret } = await run('keys', 'create', '--project', project);
  return { project, id: String(id), secret: String(secret) };
}

test('project and key restrict providers together; a request narrows further and cannot widen', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const model = providers.takeShared();
  const { project, id, secret } = await createOwned();
  await run('projects', 'routing', project, '--ignore', 'nobody', '--max-price', '5/5');
  assert.equal(await askAs(secret, { model }), `first/${model}`);
  await run('projects', 'routing', project, '--ignore', 'first');
  assert.equal(await askAs(secret, { model }), `second/${model}`);
  assert.equal(await askAs(secret, { model, provider: { order: ['first'] } }), `second/${model}`);
  assert.match(
    await askAs(secret, { model, provider: { only: ['first'] } }),
    /^403 .*request itself excludes every provider/,
  );
  await run('keys', 'routing', id, '--only', 'first');
  assert.match(
    await askAs(secret, { model }),
    /^403 .*the routing of the (project|key) excludes every provider/,
  );
  await run('projects', 'routing', project, '--ignore', 'none');
  assert.equal(await askAs(secret, { model }), `first/${model}`);
  const listed = await run('keys', 'list', '--project', project);
  assert.deepEqual((listed['data'] as Record<string, unknown>[])[0]?.['routing'], { only: ['first'] });
});

test('the order of a key replaces that of its project, and that of a request replaces both', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const model = providers.takeShared();
  const { project, id, secret } = await createOwned();
  await run('projects', 'routing', project, '--order', 'second');
  assert.equal(await askAs(secret, { model }), `second/${model}`);
  await run('keys', 'routing', id, '--order', 'first,second');
  assert.equal(await askAs(secret, { model }), `first/${model}`);
  assert.equal(await askAs(secret, { model, provider: { order: ['second'] } }), `second/${model}`);
  const { routing } = await run('keys', 'routing', id);
  assert.deepEqual(routing, { order: ['first', 'second'] });
  const { code, stderr } = await gateway.cli('keys', 'routing', id, '--regions', 'EU,');
  assert.equal(code, 1);
  assert.match(stderr, /routing\.regions\.0: must be a list of 1 to 50 regions such as eu/);
});

test('a project’s fallback models are tried where they can be called, and a request’s own list replaces them', async () => {
  providers.script(fail(404, 'invalid_request_error', { message: 'no such model' }));
  const alone = providers.takeAlone();
  const [model, other] = [providers.takeShared(), providers.takeShared()];
  const { project, id, secret } = await createOwned();
  assert.match(await askAs(secret, { model: alone }), /^404/);
  await run('projects', 'routing', project, '--fallback-models', `nonesuch,${model}`);
  assert.equal(await askAs(secret, { model: alone }), `first/${alone} first/${model} second/${model}`);
  assert.equal(
    await askAs(secret, { model: alone, models: [other] }),
    `first/${alone} first/${other} second/${other}`,
  );
  await run('rules', 'add', '--key', id, 'deny-models', model);
  assert.match(await askAs(secret, { model: alone }), /^404/, 'rules apply to fallback models');
});

test('of a request’s models, those are left out that the budget does not cover', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const alone = providers.takeAlone();
  const model = providers.takeShared();
  const { id, secret } = await createOwned();
  await run('keys', 'limit', id, '0.0004');
  assert.match(await askAs(secret, { model }), /^402/);
  assert.equal(await askAs(secret, { model, models: [alone] }), `first/${alone}`);
});

test('LiteLLM’s fallbacks are understood in each of its spellings', async () => {
  providers.script(fail(404, 'invalid_request_error', { message: 'no such model' }));
  const model = providers.takeShared();
  const { secret } = await createOwned();
  const alone = providers.takeAlone();
  const expected = `first/${alone} first/${model} second/${model}`;
  for (const fallbacks of [
    [model],
    [{ model }],
    [{ [alone]: [model] }],
    [{ other: ['x'] }, { '*': [model] }],
  ])
    assert.equal(await askAs(secret, { model: alone, fallbacks }), expected);
  assert.match(await askAs(secret, { model: alone, fallbacks: [model], disable_fallbacks: true }), /^404/);
  for (const refused of ['context_window_fallbacks', 'content_policy_fallbacks'])
    assert.match(
      await askAs(secret, { model: alone, [refused]: [{ [alone]: [model] }] }),
      new RegExp(`^400 .*"param":"${refused}"`),
    );
  assert.match(
    await askAs(secret, { model: alone, fallbacks: [{ model, messages: [] }] }),
    /^400 .*"param":"fallbacks.0/,
  );
  assert.match(
    await askAs(secret, { model: alone, fallbacks: ['nonesuch'] }),
    /^404 .*"param":"fallbacks.0"/,
  );
});

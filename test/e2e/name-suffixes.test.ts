import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { answer } from '../support/upstream-replies.ts';

const WEIGHTS = ['keys', 'routing', '--weights', 'second=1'];

let providers: TwoProviders;
let gateway: InProcessGateway;

before(async () => {
  providers = await TwoProviders.start();
  gateway = await openInProcess({ config: providers.config });
  await gateway.cli(...WEIGHTS, gateway.account.keyId, '--config', gateway.configFile);
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await providers[Symbol.asyncDispose]();
});

const ask = (model: string, more: object = {}): Promise<Response> => {
  providers.script(answer());
  const messages = [{ role: 'user', content: 'Hello.' }];
  return gateway.post('/v1/chat/completions', { model, messages, ...more });
};

test('the suffixes of OpenRouter for price and throughput choose the strategy; the row has the name as it was written', async () => {
  /** Each time of a model without earlier calls, whose times on a busy machine would count. */
  const rowOf = async (toName: (model: string) => string, more?: object) => {
    const name = toName(providers.takeShared());
    const response = await ask(name, more);
    const body = (await response.json()) as { model: string };
    assert.equal(response.status, 200, JSON.stringify(body));
    assert.equal(body.model, name);
    const { requestedModel, attempts } = await gateway.getRow(response);
    assert.equal(requestedModel, name);
    return `${attempts[0]?.providerId} ${attempts[0]?.reason}`;
  };
  const atFloor = (model: string): string => `${model}:floor`;
  assert.equal(await rowOf((model) => model), 'second weights', 'as its key wants');
  assert.equal(await rowOf(atFloor), 'first cheapest');
  assert.equal(
    await rowOf((model) => `${model}:floor[1m]`),
    'first cheapest',
    'with the mark of Claude Code',
  );
  assert.match(await rowOf((model) => `${model}:NITRO`), / throughput$/);
  assert.equal(await rowOf((model) => `second/${model}:floor`), 'second only');
  assert.equal(await rowOf(atFloor, { provider: { order: ['second'] } }), 'second order');
});

test('a name with an author of OpenRouter is the model at any provider, and providers may have names', async () => {
  const model = providers.takeShared();
  const response = await ask(`meta-llama/${model}:floor`, {
    provider: { order: ['Second', 'Amazon Bedrock'] },
  });
  assert.equal(response.status, 200, await response.text());
  assert.equal((await gateway.getRow(response)).attempts[0]?.providerId, 'second');
  const unknown = await ask(`meta/${model}`);
  assert.equal(unknown.status, 404, 'a wrong provider is not taken for an author');
});

test('`route explain` knows them, too', async () => {
  const explain = async (name: string): Promise<string> => {
    const { stdout } = await gateway.cli('route', 'explain', name, '--json', '--config', gateway.configFile);
    return (JSON.parse(stdout) as { strategy: string }).strategy;
  };
  const model = providers.takeShared();
  assert.equal(await explain(`${model}:floor`), 'price');
  assert.equal(await explain(`${model}:nitro`), 'throughput');
});

test('the other suffixes are refused with what to do instead', async () => {
  const model = providers.takeShared();
  for (const [name, message] of [
    [
      `${model}:online`,
      `model "${model}:online" does not exist: the suffix :online is not supported; use ${model}, and give the request a web search tool (in Chat: web_search_options)`,
    ],
    [
      'openrouter/auto',
      'model "openrouter/auto" does not exist: the gateway does not choose a model; name one, and in models others to try after it',
    ],
  ] as const) {
    const response = await ask(name);
    assert.equal(response.status, 404);
    const { error } = (await response.json()) as { error: { message: string; code: string } };
    assert.deepEqual([error.code, error.message], ['model_not_found', message]);
  }
});

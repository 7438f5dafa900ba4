import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { TwoProviders } from '../support/two-providers.ts';

let providers: TwoProviders;
let gateway: InProcessGateway;

before(async () => {
  providers = await TwoProviders.start();
  gateway = await openInProcess({ config: providers.config });
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await providers[Symbol.asyncDispose]();
});

/** The member and the reason of the refusal. */
async function readRefusal(model: string, provider: object, key = gateway.apiKey): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, provider, messages: [{ role: 'user', content: 'hello' }] }),
  });
  const { error } = (await response.json()) as { error: { message: string; param: string } };
  assert.equal(response.status, 403, error.message);
  return `${error.param}: ${error.message.replace(/^.*?\): /, '')}`;
}

test('a request without a provider left gets an error with the names that do not exist, those without the model, and those that serve it', async () => {
  const [model, alone] = [providers.takeShared(), providers.takeAlone()];
  assert.equal(
    await readRefusal(model, { only: ['Nobody'] }),
    'provider.only: no allowed provider serves it (no provider is named nobody; available for it: first, second)',
  );
  assert.equal(
    await readRefusal(alone, { only: ['second', 'nobody', 'sec*'] }),
    'provider.only: no allowed provider serves it (no provider is named nobody; not available for it: sec*, second; available for it: first)',
  );
  assert.equal(
    await readRefusal(model, { ignore: ['first', 'second', 'nobody'] }),
    'provider.ignore: its provider is denied (available for it: first, second)',
  );
});

test('a provider that the request excludes by other members is not offered', async () => {
  assert.equal(
    await readRefusal(providers.takeShared(), { only: ['nobody'], max_price: { prompt: 1 } }),
    'provider.only: no allowed provider serves it (no provider is named nobody; available for it: first)',
  );
  assert.equal(
    await readRefusal(providers.takeShared(), { ignore: ['first', 'second'], max_price: { prompt: 0.1 } }),
    'provider.ignore: its provider is denied (no other is available for it either)',
  );
});

test('a provider that the key may not use is not offered', async () => {
  const model = providers.takeShared();
  const { keyId, apiKey } = await gateway.createAccount();
  await gateway.accounts.directory.updateKey(keyId, { routing: { ignore: ['first'] } });
  assert.equal(
    await readRefusal(model, { only: ['first'] }, apiKey),
    'provider.only: no allowed provider serves it (not available for it: first; available for it: second)',
  );
});

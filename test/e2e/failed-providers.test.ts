import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { LEAST } from '../support/format-providers.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { fail, hang, rateLimited } from '../support/upstream-replies.ts';

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

/** The least request of each client format for a model of both providers; streams are refused the same way. */
function createRequests(): { path: string; body: JsonObject }[] {
  return Object.entries(LEAST).flatMap(([format, { path, body }]) => {
    const model = providers.takeShared();
    if (format === 'gemini') return [{ path: path.replace('gemini-small', model), body }];
    return [
      { path, body: { ...body, model } },
      { path, body: { ...body, model: providers.takeShared(), stream: true } },
    ];
  });
}

async function readError(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}

test('if every provider fails, the error of each format names all that were called, and why each failed', async () => {
  for (const { path, body } of createRequests()) {
    providers.script(fail(500, 'api_error', { message: 'x'.repeat(3_000) }), rateLimited());
    const response = await gateway.post(path, body);
    assert.equal(response.status, 429, path);
    assert.equal(
      await readError(response),
      'the provider second answered: mock rate_limit_error (called: first: 500, second: 429 rate limited)',
    );
    assert.match((await gateway.getRow(response)).errorMessage ?? '', /first: 500, second: 429 rate limited/);
  }
});

test('a provider that was silent is listed with how long it was awaited', () =>
  gateway.impatiently(async () => {
    providers.script(hang(), fail(500, 'api_error'));
    const { path, body } = LEAST.chat;
    const response = await gateway.post(path, { ...body, stream: true, model: providers.takeShared() });
    assert.equal(response.status, 502);
    assert.match(await readError(response), /\(called: first: timed out after \d+(\.\d)? s, second: 500\)$/);
  }));

test('the only provider is named once, and a refusal stays as the provider words it', async () => {
  const { path, body } = LEAST.chat;
  providers.script(fail(500, 'api_error'));
  const alone = await gateway.post(path, { ...body, model: providers.takeAlone() });
  assert.equal(await readError(alone), 'the provider first answered: mock api_error');
  providers.script(fail(500, 'api_error'), fail(400, 'invalid_request_error', { message: 'not so' }));
  const refused = await gateway.post(path, { ...body, model: providers.takeShared() });
  assert.equal(await readError(refused), 'not so');
});

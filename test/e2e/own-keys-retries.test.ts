import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InProcessGateway, type TestAccount, openInProcess } from '../support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { fail } from '../support/upstream-replies.ts';

const OWN_KEY = 'sk-of-the-organization';
/** Each has a health of its own, so that no call is left out because the one before has failed. */
const MODELS = Array.from({ length: 48 }, (_, at) => `model-${at}`);

function configure(id: string, { baseUrl }: MockUpstream, usd: number): string[] {
  const facts = `contextLength: 100000, maxOutput: 1000, price: { input: "${usd}", output: "${usd}" }`;
  return [
    `  - { id: ${id}, format: chat, baseUrl: "${baseUrl}", apiKey: gateway-key, models: [`,
    ...MODELS.map((model) => `      { id: ${model}, ${facts} },`),
    '    ] }',
  ];
}

const ask = (gateway: InProcessGateway, { apiKey }: TestAccount, model: string) =>
  gateway.post(
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'hello' }] },
    { 'x-api-key': apiKey },
  );

test('failures of an organization’s own keys leave others their retries at the same provider', async () => {
  await using cheap = await startMockUpstream();
  await using expensive = await startMockUpstream();
  const providers = [...configure('cheap', cheap, 1), ...configure('expensive', expensive, 10)];
  await using gateway = await openInProcess({
    config: ['routing: { hedging: false }', 'providers:', ...providers, ''].join('\n'),
    env: { SLUICE_ADAPTIVE_ROUTING: 'on' },
  });
  const [owner, other] = [await gateway.createAccount(), await gateway.createAccount()];
  const { organizationId } = owner;
  for (const providerId of ['cheap', 'expensive'])
    await gateway.accounts.directory.setProviderKey(
      { organizationId, providerId, apiKey: OWN_KEY },
      gateway.terms,
    );
  for (const mock of [cheap, expensive])
    mock.script({
      match: ({ headers }) => headers['authorization'] === `Bearer ${OWN_KEY}`,
      reply: fail(503, 'overloaded'),
    });
  await Promise.all(MODELS.slice(8).map(async (model) => (await ask(gateway, owner, model)).text()));
  cheap.script({ reply: fail(500, 'broken') });
  for (const model of MODELS.slice(0, 8)) {
    const response = await ask(gateway, other, model);
    assert.equal(response.status, 200, await response.clone().text());
    const { attempts } = await gateway.getRow(response);
    assert.deepEqual(attempts.at(-1)?.providerId, 'expensive');
  }
});

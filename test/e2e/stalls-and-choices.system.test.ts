import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { until } from '../support/until.ts';
import { type Reply, answer, fail, haltedAnswer, sequence } from '../support/upstream-replies.ts';

const PATH = '/v1/chat/completions';
/** A stream has stalled after a twelfth, or if its caller disconnects, after a fortieth. */
const CONFIG = `timeouts: { idleMs: 24000 }
routing: { hedging: false, strategy: price } # on a slow machine another might be tried, or answer first
`;
const LEAVES_AFTER_MS = 1_000;
/** So many show what is usual. */
const SAMPLES = 3;

let providers: TwoProviders;
let gateway: Gateway;
before(async () => {
  providers = await TwoProviders.start();
  // Both stop where they are left, so that nothing is read on.
  const config = `${CONFIG}${providers.config.replaceAll(/^( +)apiKey: .*/gm, '$&\n$1cancellation: streams')}`;
  gateway = await startGateway({ config, env: { SLUICE_ADAPTIVE_ROUTING: 'on' } });
});
after(async () => {
  await providers[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const attemptsOf = (response: Response): string => response.headers.get('x-gateway-attempts') ?? '';

/** A stream that the first provider halts in the middle, and one that the next request gets. */
async function openStalled(
  released: Promise<unknown>,
  signal?: AbortSignal,
): Promise<{ stalled: Response; ask(): Promise<string> }> {
  const body = JSON.stringify({
    model: providers.takeShared(),
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  });
  const send = (): Promise<Response> =>
    fetch(`${gateway.url}${PATH}`, { method: 'POST', headers, body, ...(signal && { signal }) });
  const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
  const ask = async (): Promise<string> => {
    const response = await fetch(`${gateway.url}${PATH}`, { method: 'POST', headers, body });
    await response.text();
    return attemptsOf(response);
  };
  providers.script(answer());
  for (let sample = 0; sample < SAMPLES; sample += 1) assert.match(await ask(), /^first;/);
  providers.script(sequence(haltedAnswer(released), answer()));
  const stalled = await send();
  assert.match(attemptsOf(stalled), /^first;/);
  return { stalled, ask };
}

const GOES_ELSEWHERE = 'the next request goes to another provider';

test('while a stream stalls, the next requests go to another provider; the stream goes on with its own', async () => {
  const released = Promise.withResolvers<undefined>();
  const { stalled, ask } = await openStalled(released.promise);
  await until(GOES_ELSEWHERE, async () => (await ask()) === 'second;reason=health');
  released.resolve(undefined);
  assert.match(await stalled.text(), /"finish_reason":"stop"/);
});

test('a caller that leaves a stream which is silent for longer than usual says so of its provider', async () => {
  const leaving = new AbortController();
  const { stalled, ask } = await openStalled(new Promise(() => undefined), leaving.signal);
  await stalled.body?.getReader().read();
  await sleep(LEAVES_AFTER_MS);
  leaving.abort();
  await until(GOES_ELSEWHERE, async () => (await ask()) === 'second;reason=health');
});

test('each of several choices earns the retries that it may cause', async () => {
  let calls = 0;
  const failEveryThird: Reply = (exchange) => {
    calls += 1;
    return (calls % 3 === 0 ? fail(500, 'api_error') : answer())(exchange);
  };
  providers.script(failEveryThird);
  const model = providers.takeAlone();
  const messages = [{ role: 'user', content: 'hello' }];
  for (let request = 0; request < 20; request += 1) {
    const response = await gateway.post(PATH, { model, n: 6, max_tokens: 64, messages });
    assert.equal(response.status, 200, await response.text());
  }
});

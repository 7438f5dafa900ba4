import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { FormatId } from '#canonical';
import { WORDINGS, findNext } from '#errors';
import { getOutboundFormat } from '#wire';
import { COMPATIBLE_REFUSALS } from '../support/route/compatible-refusals.ts';
import {
  ANTHROPIC_REFUSALS,
  BEDROCK_REFUSALS,
  CALLER_FAULTS,
  GOOGLE_REFUSALS,
  OPENAI_REFUSALS,
  type ProviderRefusal,
} from '../support/route/provider-refusals.ts';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { answer, sendText } from '../support/upstream-replies.ts';

const OF_MAPPING: readonly [FormatId, readonly ProviderRefusal[]][] = [
  ['chat', [...OPENAI_REFUSALS, ...COMPATIBLE_REFUSALS]],
  ['messages', ANTHROPIC_REFUSALS],
  ['gemini', GOOGLE_REFUSALS],
  ['converse', BEDROCK_REFUSALS],
];

const CALLED = ['chat', 'messages', 'gemini'] as const;

let cheap: MockUpstream;
let expensive: MockUpstream;
let gateway: InProcessGateway;

before(async () => {
  [cheap, expensive] = [await startMockUpstream(), await startMockUpstream()];
  const describe = (id: string, format: string, offers: readonly string[]): string =>
    `  - { id: ${id}, format: ${format}, baseUrl: "${id === 'expensive' ? expensive.baseUrl : cheap.baseUrl}", apiKey: k, models: [${offers.join(', ')}] }`;
  const offer = (format: string, input: number): string =>
    `{ id: m-${format}, contextLength: 100000, maxOutput: 1000, price: { input: "${input}", output: "1" } }`;
  const config = [
    'providers:',
    ...CALLED.map((format) => describe(`cheap-${format}`, format, [offer(format, 1)])),
    describe(
      'expensive',
      'chat',
      CALLED.map((format) => offer(format, 9)),
    ),
    '',
  ];
  gateway = await openInProcess({ config: config.join('\n') });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await cheap.close();
  await expensive.close();
});
afterEach(() => {
  cheap.clear();
  expensive.clear();
});

function refuseWith(refusal: ProviderRefusal): void {
  cheap.clear();
  cheap.script({ reply: (exchange) => sendText(exchange, refusal) });
  expensive.clear();
  expensive.script({ reply: answer() });
}

async function ask(format: string): Promise<{ status: number; outcomes: string }> {
  const messages = [{ role: 'user', content: 'hello' }];
  const response = await gateway.post('/v1/chat/completions', { model: `m-${format}`, messages });
  await response.clone().text();
  const { attempts } = await gateway.getRow(response);
  return { status: response.status, outcomes: attempts.map(({ outcome }) => outcome).join(' ') };
}

for (const [format, refusals] of OF_MAPPING)
  for (const refusal of refusals)
    test(`another mapping is asked after a refusal about the mapping: ${format}, ${refusal.name}`, async () => {
      const { status, text: body } = refusal;
      const failure = getOutboundFormat(format).decodeFailure({ status, headers: {}, body });
      assert.deepEqual([failure.kind, findNext(failure)], ['request-refused', 'other-mapping'], body);
      if (format === 'converse') return;
      refuseWith(refusal);
      assert.deepEqual(await ask(format), { status: 200, outcomes: 'request-refused answered' });
    });

test('a refusal about the request itself is passed on, and no other mapping is asked', async () => {
  for (const refusal of CALLER_FAULTS) {
    refuseWith(refusal);
    assert.deepEqual(await ask('chat'), { status: 400, outcomes: 'request-refused' }, refusal.name);
    assert.equal(expensive.truths.length, 0);
  }
});

test('each known wording is that of a tested refusal, and of none that is about the request', () => {
  const texts = OF_MAPPING.flatMap(([, refusals]) => refusals.map(({ text }) => text));
  for (const { provider, words, source } of WORDINGS) {
    assert.ok(
      texts.some((text) => words.test(text)),
      `${provider}: ${String(words)}`,
    );
    assert.match(source, /^[\w.-]+\/[\w.-]+\/(?:issues|pull)\/\d+$/);
    for (const { text } of CALLER_FAULTS) assert.doesNotMatch(text, words);
  }
});

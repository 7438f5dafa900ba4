import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formatSse, isJsonObject, parseJson } from '#base';
import type { FormatId } from '#canonical';
import { type GoldenCase, readOwnCases, readRecordedCases } from '../golden/cases.ts';
import { createProviderConfig } from '../support/gateway.ts';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import type { MockUpstream } from '../support/mock-upstream.ts';
import { NO_RECORDINGS, hasRecordings } from '../support/recordings.ts';
import { foldView, withoutAdded } from '../support/sdk-folds.ts';
import { SDK_FORMATS, type SdkFormat, viewAnswer } from '../support/sdk-views.ts';
import { answerText } from '../support/upstream-replies.ts';

/** Answers written here for what clients of the upstream's own format once lost. */
const OWN: ReadonlySet<string> = new Set([
  'chat/usage-beside-tokens.stream',
  'messages/calls-by-code.body',
  'messages/code-execution.stream',
  'messages/whole-at-the-start.stream',
  'responses/code-interpreter.stream',
  'responses/tool-search.stream',
  'responses/tool-search-body.body',
]);

/** Recordings that deliberately reach clients changed. */
const REPAIRED: Record<string, string> = {
  'anthropic/duplicate-message-start.stream': 'the SDK throws at the second start, which is left out here',
  'openai-compatible/xai-text.stream': 'xAI leaves reasoning out of completion_tokens, which is added here',
  'openai-compatible/xai-text.body': 'xAI leaves reasoning out of completion_tokens, which is added here',
  'openai-responses/openai-error.1.stream':
    'an error before any item becomes an error status, after other providers were tried',
  'openai-responses/parallel-tool-call-wrapper.1.stream': 'the calls inside a wrapper are unpacked',
  'openai-responses/parallel-tool-call-wrapper.1.body': 'the calls inside a wrapper are unpacked',
};

let upstream: MockUpstream;
let gateway: InProcessGateway;

before(async () => {
  const [first, ...others] = SDK_FORMATS.map((format) => ({
    id: format,
    format,
    models: [`${format}-model`],
  }));
  assert.ok(first);
  gateway = await openInProcess({ config: ({ baseUrl }) => createProviderConfig(baseUrl, first, ...others) });
  ({ upstream } = gateway);
});

after(() => gateway[Symbol.asyncDispose]());

/** An answer of a case; some recordings hold several of one conversation. */
interface Answer {
  id: string;
  format: SdkFormat;
  kind: 'stream' | 'body';
  text: string;
}

const LAST = new Set(['message_stop', 'response.completed', 'response.incomplete']);

/** Whether a body is an error instead of an answer. */
function isErrorText(text: string): boolean {
  const body = parseJson(text);
  return isJsonObject(body) && isJsonObject(body['error']) && !('output' in body) && !('choices' in body);
}

function isSdkFormat(format: FormatId): format is SdkFormat {
  return (SDK_FORMATS as readonly FormatId[]).includes(format);
}

function listAnswers(golden: GoldenCase): Answer[] {
  const { id, format, kind, text } = golden;
  if (!isSdkFormat(format) || (kind === 'body' && isErrorText(text))) return [];
  if (kind === 'body') return [{ id, format, kind, text }];
  const streams: string[][] = [[]];
  for (const message of golden.messages) {
    streams.at(-1)?.push(formatSse(message));
    if (message !== golden.messages.at(-1) && LAST.has(message.event ?? '')) streams.push([]);
  }
  return streams.map((frames, at) => ({
    id: at === 0 ? id : `${id}#${at + 1}`,
    format,
    kind,
    text: frames.join(''),
  }));
}

async function compare({ id, format, kind, text }: Answer): Promise<void> {
  const marker = `answer with ${id}.`;
  upstream.script({
    match: { marker },
    reply: answerText(kind === 'stream' ? 'text/event-stream' : 'application/json', text),
  });
  const model = `${format}-model`;
  const origin = upstream.baseUrl.replace(/\/v1$/, '');
  const direct = await viewAnswer(format, kind, { url: origin, apiKey: 'k', model, marker });
  const through = await viewAnswer(format, kind, { url: gateway.url, apiKey: gateway.apiKey, model, marker });
  const expected = foldView(format, direct);
  assert.deepEqual(withoutAdded(expected, foldView(format, through)), expected);
}

function testAnswers(cases: readonly GoldenCase[]): void {
  for (const answer of cases.flatMap(listAnswers)) {
    const [name = ''] = answer.id.split('#');
    test(
      `${answer.id} reaches its format’s SDK as it would directly`,
      { skip: REPAIRED[name] ?? false },
      () => compare(answer),
    );
  }
}

testAnswers(readOwnCases().filter(({ id }) => OWN.has(id)));
testAnswers(readRecordedCases());

test('recorded answers were compared', { skip: hasRecordings ? false : NO_RECORDINGS }, () => {
  assert.ok(readRecordedCases().flatMap(listAnswers).length > 30);
});

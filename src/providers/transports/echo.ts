import type { JsonObject } from '#base';
import type { AnswerSink, Transport, UpstreamCall, UpstreamRequest } from '../transport.ts';
import { createIdentifier, isJsonObject, parseJsonObject } from '#base';

/** A word with the space before it; sticky, because a search would retry every space of a long run. */
const WORD = /\s*\S+/y;
const MOST_WORDS = 100_000;

/** The catalogue id of the provider in this file. */
export const ECHO_PROVIDER_ID = 'local';

/** The built-in provider: repeats the last user text in Chat format, so that a fresh gateway answers with no key and no network. */
export const echoTransport: Transport = {
  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    let aborted = false;
    setImmediate(() => {
      if (aborted) return;
      const body = parseJsonObject(String(request.body)) ?? {};
      const answer = composeAnswer(body);
      const streaming = body['stream'] === true;
      sink.onHead(200, { 'content-type': streaming ? 'text/event-stream' : 'application/json' });
      sink.onData(Buffer.from(streaming ? toSse(answer) : JSON.stringify(toJson(answer))));
      sink.onEnd();
    });
    return { abort: () => (aborted = true), pause: () => undefined, resume: () => undefined };
  },
  drain: async () => undefined,
  close: async () => undefined,
};

interface EchoAnswer {
  id: string;
  model: string;
  words: string[];
  finish: 'stop' | 'length';
  usage: JsonObject;
}

function composeAnswer(body: JsonObject): EchoAnswer {
  const messages = Array.isArray(body['messages']) ? body['messages'].filter(isJsonObject) : [];
  const spoken = readText(messages.findLast((message) => message['role'] === 'user'));
  const tokens = readWords(messages.map(readText).join(' '), MOST_WORDS).length;
  const all = `You said: ${spoken}\n(This is local/echo: it repeats, it does not think. Set a provider key for a real model.)`;
  const limit = typeof body['max_tokens'] === 'number' ? body['max_tokens'] : Infinity;
  const most = Math.min(limit, MOST_WORDS);
  const found = readWords(all, most + 1);
  const words = found.slice(0, most);
  return {
    id: createIdentifier('echo'),
    model: 'echo',
    words,
    finish: found.length > words.length ? 'length' : 'stop',
    usage: { prompt_tokens: tokens, completion_tokens: words.length, total_tokens: tokens + words.length },
  };
}

function readText(message: JsonObject | undefined): string {
  const content = message?.['content'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** The first words of a text; concatenated they are the text without trailing space. */
function readWords(text: string, most: number): string[] {
  const words: string[] = [];
  WORD.lastIndex = 0;
  while (words.length < most) {
    const [word] = WORD.exec(text) ?? [];
    if (word === undefined) break;
    words.push(word);
  }
  return words;
}

function toJson({ id, model, words, finish, usage }: EchoAnswer): JsonObject {
  const message = { role: 'assistant', content: words.join('') };
  return {
    id,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  };
}

function toSse({ id, model, words, finish, usage }: EchoAnswer): string {
  const frame = (delta: JsonObject, reason: string | null, rest: JsonObject = {}): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 0, model, choices: [{ index: 0, delta, finish_reason: reason }], ...rest })}\n\n`;
  const deltas = words.map((word) => frame({ content: word }, null));
  return `${frame({ role: 'assistant', content: '' }, null)}${deltas.join('')}${frame({}, finish, { usage })}data: [DONE]\n\n`;
}

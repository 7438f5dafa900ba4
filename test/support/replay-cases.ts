import type { JsonObject } from '#base';
import type { AnswerPlan } from './upstream-answers.ts';

const NAME = 'get_weather';
const SCHEMA = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } };
const call = (input: JsonObject, name = NAME): AnswerPlan => ({
  text: 'Let me look.',
  toolCalls: [{ id: 'call_1', name, input }],
});

/** A customer's request, what the old and the new model answer, and how they should compare. */
export interface ReplayCase {
  path: string;
  body: JsonObject;
  was: AnswerPlan;
  now: AnswerPlan;
  tools: string;
  words: number;
}

export const chat = (marker: string, more: JsonObject = {}): Pick<ReplayCase, 'path' | 'body'> => ({
  path: '/v1/chat/completions',
  body: {
    model: 'old-model',
    messages: [{ role: 'user', content: marker }],
    tools: [{ type: 'function', function: { name: NAME, parameters: SCHEMA } }],
    ...more,
  },
});
export const messages = (marker: string, more: JsonObject = {}): Pick<ReplayCase, 'path' | 'body'> => ({
  path: '/v1/messages',
  body: {
    model: 'old-model',
    max_tokens: 500,
    messages: [{ role: 'user', content: marker }],
    tools: [{ name: NAME, input_schema: SCHEMA }],
    ...more,
  },
});
export const responses = (marker: string, more: JsonObject = {}): Pick<ReplayCase, 'path' | 'body'> => ({
  path: '/v1/responses',
  body: {
    model: 'old-model',
    input: marker,
    tools: [{ type: 'function', name: NAME, parameters: SCHEMA, strict: false }],
    ...more,
  },
});
export const gemini = (marker: string, method = 'generateContent'): Pick<ReplayCase, 'path' | 'body'> => ({
  path: `/v1beta/models/old-model:${method}`,
  body: {
    contents: [{ role: 'user', parts: [{ text: marker }] }],
    tools: [{ functionDeclarations: [{ name: NAME, parametersJsonSchema: SCHEMA }] }],
  },
});

const OSLO = call({ city: 'Oslo', days: 2 });
const SAYS = { text: 'It rains in Oslo today.' };
/** Every format, streamed or not, with calls and without. */
export const REPLAY_CASES: readonly ReplayCase[] = [
  {
    ...chat('c1', { model: null, models: ['old-model'], tags: ['nightly'], session_id: 'other' }),
    was: OSLO,
    now: OSLO,
    tools: 'same',
    words: 1,
  },
  {
    ...chat('c2', { stream: true }),
    was: OSLO,
    now: call({ city: 'Bergen' }),
    tools: 'same_tools',
    words: 1,
  },
  { ...messages('m1'), was: OSLO, now: SAYS, tools: 'different', words: 0 },
  { ...messages('m2', { stream: true }), was: SAYS, now: SAYS, tools: 'none', words: 1 },
  { ...responses('r1'), was: OSLO, now: call({ days: 2, city: 'Oslo' }), tools: 'same', words: 1 },
  { ...responses('r2', { stream: true }), was: OSLO, now: call({}, 'other'), tools: 'different', words: 1 },
  { ...gemini('g1'), was: OSLO, now: OSLO, tools: 'same', words: 1 },
  {
    ...gemini('g2', 'streamGenerateContent'),
    was: SAYS,
    now: { text: 'It snows in Oslo today.' },
    tools: 'none',
    words: 0.8,
  },
];

/** The text of a request, which no other has. */
export function markerOf(body: JsonObject): string {
  return /"(?:content|input|text)":"(\w+)"/.exec(JSON.stringify(body))?.[1] ?? '';
}

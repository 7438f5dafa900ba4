import { type JsonObject, formatSse, parseJsonObject } from '#base';
import { createSeededRandom } from '../seeded-random.ts';
import { type AnswerEvent, type AnswerPlan, createAnswer, createAnswerEvents } from '../upstream-answers.ts';
import { type UpstreamFormat, createTruth } from '../upstream-exchange.ts';
import { Damager, type Random, pick, printDamaged } from './damage.ts';

/** What a provider sends. */
export interface FuzzAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** The connection breaks before the promised length. */
  isCut: boolean;
}

const LARGE_SHARE = 0.02;
const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json';
const PLAN: AnswerPlan = {
  text: 'one two three',
  reasoning: 'hm',
  toolCalls: [{ id: 'call_1', name: 'f', input: { a: 'x' } }],
};

/** The answer that an honest provider gives. */
export function createHonestAnswer(format: UpstreamFormat, stream: boolean): FuzzAnswer {
  const events = stream && listEvents(format, { text: 'ok' });
  const body = events
    ? events.map(formatSse).join('')
    : JSON.stringify(createAnswer({ text: 'ok' }, truthOf(format)).body);
  return {
    status: 200,
    headers: { 'content-type': stream ? SSE : JSON_TYPE },
    body: Buffer.from(body),
    isCut: false,
  };
}

/** A damaged answer; its number decides it entirely. */
export function createFuzzAnswer(number: number, format: UpstreamFormat, stream: boolean): FuzzAnswer {
  const random = createSeededRandom(-number);
  const plan = random() < 0.5 ? PLAN : { text: 'one two' };
  const body = stream ? createEvents(random, format, plan) : createBody(random, format, plan);
  const type = stream ? SSE : JSON_TYPE;
  return {
    status: random() < 0.9 ? 200 : pick(random, [201, 204, 301, 400, 401, 413, 429, 500, 503, 529, 599]),
    headers: {
      'content-type': random() < 0.95 ? type : pick(random, ['text/html', '', SSE, JSON_TYPE]),
      ...(random() < 0.03 && { 'content-encoding': pick(random, ['gzip', 'br', 'x']) }),
      ...(random() < 0.05 && { 'retry-after': pick(random, ['1', '-1', '1e99', 'x']) }),
    },
    body,
    isCut: random() < 0.05,
  };
}

function createBody(random: Random, format: UpstreamFormat, plan: AnswerPlan): Buffer {
  const { body } = createAnswer(plan, truthOf(format));
  return printDamaged(random, new Damager(random).damage(structuredClone(body), random() < LARGE_SHARE));
}

/** Events lost, doubled, swapped and damaged; now and then one is large. */
function createEvents(random: Random, format: UpstreamFormat, plan: AnswerPlan): Buffer {
  const events = listEvents(format, plan);
  const isLarge = random() < LARGE_SHARE;
  for (let left = Math.floor(random() * 4); left >= 0; left -= 1) {
    const at = Math.floor(random() * events.length);
    const event = events[at];
    if (!event) break;
    const kind = random();
    if (kind < 0.1) events.splice(at, 1);
    else if (kind < 0.2) events.splice(at, 0, event);
    else if (kind < 0.3) events.push(...events.splice(at, 1));
    else events[at] = { ...event, data: damageData(random, event.data, isLarge && left === 0) };
  }
  return Buffer.from(events.map(formatSse).join(''));
}

function damageData(random: Random, data: string, isLarge: boolean): string {
  const body = parseJsonObject(data);
  if (!body) return pick(random, ['', 'null', '[]', '{', data]);
  return printDamaged(random, new Damager(random).damage(body, isLarge))
    .toString('latin1')
    .replaceAll(/[\r\n]/g, ' ');
}

function listEvents(format: UpstreamFormat, plan: AnswerPlan): AnswerEvent[] {
  return createAnswerEvents(plan, truthOf(format));
}

const TRUTH_PATHS: Record<UpstreamFormat, string> = {
  chat: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
  gemini: '/x:generateContent',
};

function truthOf(format: UpstreamFormat) {
  const body: JsonObject = { model: 'm', stream_options: { include_usage: true } };
  return createTruth(0, {
    method: 'POST',
    path: TRUTH_PATHS[format],
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  });
}

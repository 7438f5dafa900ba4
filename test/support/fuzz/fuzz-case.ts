import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { askAs } from '../ask-as.ts';
import { ADMIN_CALLS, type AdminSubjects } from '../admin-calls.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { createBrowserCall } from './browser-calls.ts';
import { GENERATIONS, MEDIA, REFERENCES, SESSION_TOKEN } from './base-bodies.ts';
import { Damager, type Random, pick, printDamaged } from './damage.ts';

/** One request of a run; its number decides it entirely. */
export interface FuzzCase {
  number: number;
  kind: 'request' | 'answer';
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  isAdmin: boolean;
}

/** Of six cases one is of a damaged answer: a fifth as many as of damaged requests. */
const ANSWER_EVERY = 6;
const LARGE_SHARE = 0.01;
const FORMATS = Object.keys(GENERATIONS) as ClientFormatId[];
/** The models of the honest and of the hostile provider are named for them. */
export const PROVIDER_FORMATS = ['chat', 'messages', 'responses', 'gemini'] as const;
/** By this the provider knows which damaged answer a request is to get. */
export const ANSWER_MARKER = /damaged answer (\d+)/;
const ODD_TEXTS = [
  '',
  '-1',
  '1e9',
  '0',
  '%00',
  '%F0%9F',
  '..%2F..',
  "'",
  'x'.repeat(2_000),
  '2026-13-45',
  '__proto__',
];
const ODD_HEADERS: readonly [name: string, value: string][] = [
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-encoding', 'gzip'],
  ['accept', 'text/event-stream'],
  ['anthropic-beta', 'context-1m-2025-08-07,x'],
  ['anthropic-version', '1'],
  ['idempotency-key', 'k'],
  ['x-forwarded-for', '999.1.1.1, x'],
  ['user-agent', 'x'.repeat(8_000)],
  ['expect', '100-continue'],
  ['x-api-key', 'sk-other'],
  ['range', 'bytes=5-1'],
];
/** A check of the books grows with what was sent before. */
const ADMIN_NAMES = Object.keys(ADMIN_CALLS).filter((name) => !name.endsWith('/ledger/check'));

interface Draft {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: JsonObject;
  isAdmin?: boolean;
}

export function createFuzzCase(number: number, subjects: AdminSubjects): FuzzCase {
  const random = createSeededRandom(number);
  if (number % ANSWER_EVERY === ANSWER_EVERY - 1) return createAnswerCase(random, number);
  const { method = 'POST', path, headers, body, isAdmin = false } = createDraft(random, subjects);
  const damaged = body && new Damager(random).damage(structuredClone(body), random() < LARGE_SHARE);
  return {
    number,
    kind: 'request',
    method,
    path: random() < 0.05 ? damagePath(random, path) : path,
    headers: {
      ...headers,
      ...(damaged && { 'content-type': 'application/json' }),
      ...(random() < 0.05 && Object.fromEntries([pick(random, ODD_HEADERS)])),
    },
    body: damaged && printDamaged(random, damaged),
    isAdmin,
  };
}

function createDraft(random: Random, subjects: AdminSubjects): Draft {
  const kind = random();
  if (kind < 0.75) return createGeneration(random, pick(random, FORMATS));
  if (kind < 0.9) {
    const [path, body] = pick(random, Object.entries(MEDIA));
    return { path, body: { model: 'fuzz-chat', ...body } };
  }
  if (kind < 0.93) return { path: '/v1/session_tokens', body: SESSION_TOKEN };
  if (kind < 0.95) {
    const path = pick(random, [
      '/v1/models',
      '/v1/responses/x',
      '/v1/videos',
      '/v1/key',
      '/v1/models/fuzz-chat',
    ]);
    return { method: 'GET', path: damagePath(random, path) };
  }
  if (kind < 0.97) return createBrowserCall(random);
  const name = pick(random, ADMIN_NAMES);
  const [method = ''] = name.split(' ');
  const { path, body } = ADMIN_CALLS[name]?.(subjects) ?? { path: '/' };
  return { method, path: `/admin/v1${path}`, isAdmin: true, ...(body && { body }) };
}

const COUNTERS: Partial<Record<ClientFormatId, string>> = {
  messages: '/v1/messages/count_tokens',
  responses: '/v1/responses/input_tokens',
};

function createGeneration(random: Random, format: ClientFormatId): Draft {
  const model = `fuzz-${pick(random, PROVIDER_FORMATS)}`;
  const stream = random() < 0.4;
  const whole =
    random() < 0.1
      ? { ...GENERATIONS[format], ...pickMember(random, REFERENCES[format]) }
      : GENERATIONS[format];
  const body = Object.fromEntries(Object.entries(whole).filter(([name]) => isNeeded(name) || random() < 0.4));
  if (format === 'gemini') {
    const method = random() < 0.1 ? 'countTokens' : stream ? 'streamGenerateContent' : 'generateContent';
    return { path: `/v1beta/models/${model}:${method}`, body };
  }
  const counter = random() < 0.1 ? COUNTERS[format] : undefined;
  return {
    path: counter ?? askAs(format).path,
    body: { model, ...body, ...(stream && counter === undefined && { stream }) },
  };
}

const NEEDED = [
  'messages',
  'max_tokens',
  'input',
  'contents',
  'previous_response_id',
  'cachedContent',
  'container',
];

function isNeeded(name: string): boolean {
  return NEEDED.includes(name);
}

function pickMember(random: Random, body: JsonObject): JsonObject {
  return Object.fromEntries([pick(random, Object.entries(body))]);
}

function damagePath(random: Random, path: string): string {
  const odd = pick(random, ODD_TEXTS);
  return pick(random, [
    `${path}${path.includes('?') ? '&' : '?'}${pick(random, ['limit', 'before', 'after', 'since', 'by', 'x'])}=${odd}`,
    `${path}/${odd}`,
    path.replace(/[^/]*$/, odd),
  ]);
}

/** A small request that works, whose answer is damaged. */
function createAnswerCase(random: Random, number: number): FuzzCase {
  const model = `hostile-${pick(random, PROVIDER_FORMATS)}`;
  const format = pick(random, FORMATS);
  const text = `damaged answer ${number}`;
  const stream = random() < 0.5;
  const { path, body } = askAs(format, { model, text, stream, most: 50 });
  const headers = { 'content-type': 'application/json' };
  return {
    number,
    kind: 'answer',
    method: 'POST',
    path,
    headers,
    body: Buffer.from(JSON.stringify(body)),
    isAdmin: false,
  };
}

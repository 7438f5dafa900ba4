import type { AnswerOf } from '../api/client.ts';
import { CHAT } from './chat.ts';
import { GEMINI } from './gemini.ts';
import { type Json, parse, readEvents, toObject } from './json.ts';
import { MESSAGES } from './messages.ts';
import { RESPONSES } from './responses.ts';

/** A part of a conversation. Texts come from callers and providers, and are shown as plain text only. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'error'; text: string }
  /** JSON. */
  | { kind: 'data'; text: string }
  | { kind: 'call'; id: string; name: string; input: string }
  | { kind: 'result'; id: string; parts: readonly Part[]; isError: boolean }
  | { kind: 'image'; url: string }
  /** What is not shown, in words. */
  | { kind: 'note'; text: string }
  /** What this page does not know, as JSON. */
  | { kind: 'other'; type: string; text: string };

export interface Turn {
  role: string;
  parts: readonly Part[];
}

export interface Tool {
  name: string;
  description: string;
  /** JSON Schema. */
  schema: unknown;
}

/** What a request asked. */
export interface ConversationRequest {
  system: readonly Part[];
  turns: readonly Turn[];
  tools: readonly Tool[];
  settings: Settings;
}

export interface Settings {
  temperature?: unknown;
  topP?: unknown;
  maxTokens?: unknown;
  effort?: unknown;
}

/** How a format of clients is read. */
export interface Reader {
  readAsked(body: Json): ConversationRequest;
  readAnswered(body: Json): Turn[];
  /** The body that the events of a stream amount to. */
  joinEvents(events: readonly Json[]): Json;
}

export const READERS: Readonly<Record<string, Reader>> = {
  messages: MESSAGES,
  chat: CHAT,
  responses: RESPONSES,
  gemini: GEMINI,
};

type Payload = AnswerOf<'/admin/v1/logs/{id}/payload', 'get'>;

/** What was asked; undefined where the text is cut or of another format. */
export function readAsked(format: string, { request }: Payload): ConversationRequest | undefined {
  const body = request && !request.truncated ? parse(request.text) : undefined;
  return body && READERS[format]?.readAsked(body);
}

/** What was answered; undefined where the text cannot be read. A stream may be cut. */
export function readAnswered(format: string, { answer }: Payload): Turn[] | undefined {
  const reader = READERS[format];
  if (!answer || !reader) return undefined;
  const body = answer.content_type.includes('event-stream')
    ? reader.joinEvents(readEvents(answer.text))
    : parse(answer.text);
  if (!body) return undefined;
  const fault = readFault(body);
  const turns = reader.readAnswered(body);
  return fault === undefined ? turns : [...turns, { role: 'error', parts: [{ kind: 'error', text: fault }] }];
}

function readFault(body: Json): string | undefined {
  if (body['error'] === undefined || body['error'] === null) return undefined;
  const { message } = toObject(body['error']);
  return typeof message === 'string' ? message : JSON.stringify(body['error']);
}

import assert from 'node:assert/strict';
import { type JsonObject, parseJsonObject } from '#base';
import type { FormatId } from '#canonical';
import { type ErrorCode, GatewayError, getErrorEntry } from '#errors';
import type { LogRow } from '#logs';
import type { InProcessGateway } from './in-process.ts';

/** The expected error answer. */
interface Expected {
  format: FormatId;
  status: number;
  code: ErrorCode;
}

/** Internal details: stack frames, files, statements, addresses of stores and of machines. */
const INSIDE =
  /\n\s+at |node_modules|\.ts\b|\/work\/|\/tmp\/|SELECT |relation "|ECONN|127\.0\.0\.1|postgres/i;

/** Checks an error answer to the last member of its shape, and returns its message. */
export async function assertRefusal(response: Response, { format, status, code }: Expected): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(response.headers.get('x-request-id') ?? '', /^req_\w{10,}$/);
  assert.doesNotMatch(text, INSIDE);
  const body = parseJsonObject(text);
  assert.ok(body, text);
  if (format === 'gemini') return readGoogleError(body, { status, code });
  return format === 'messages' ? readMessagesError(response, body, code) : readChatError(body, code);
}

function readMessagesError(response: Response, body: JsonObject, code: ErrorCode): string {
  const requestId = response.headers.get('x-request-id');
  assert.equal(response.headers.get('request-id'), requestId);
  const { message } = body['error'] as { message: string };
  assert.deepEqual(body, {
    type: 'error',
    error: { type: getErrorEntry(code).messagesType, message },
    request_id: requestId,
  });
  return assertText(message);
}

function readGoogleError(body: JsonObject, { status, code }: Pick<Expected, 'status' | 'code'>): string {
  const { error } = body as {
    error: { code: number; message: string; status: string; details: JsonObject[] };
  };
  assert.equal(error.code, status);
  assert.match(error.status, /^[A-Z_]+$/);
  assert.equal(error.details[0]?.['reason'], code.toUpperCase());
  return assertText(error.message);
}

function readChatError(body: JsonObject, code: ErrorCode): string {
  const { message, param } = body['error'] as { message: string; param: string };
  assert.deepEqual(body, { error: { message, type: getErrorEntry(code).openaiType, param, code } });
  assert.equal(typeof param, 'string');
  if (new GatewayError(code, '').param !== '') assert.notEqual(param, '');
  return assertText(message);
}

function assertText(message: unknown): string {
  assert.equal(typeof message, 'string');
  assert.notEqual(message, '');
  return message as string;
}

/** Checks the row of a failed request: its error, and that it cost nothing. */
export function assertFreeRow(row: LogRow, { status, code }: Pick<Expected, 'status' | 'code'>): void {
  const finishes = {
    client: 'client_error',
    account: 'client_error',
    upstream: 'upstream_error',
    gateway: 'gateway_error',
  } as const;
  assert.equal(row.finishReason, finishes[getErrorEntry(code).blame]);
  assert.equal(row.status, status);
  assert.equal(row.errorCode, code);
  assert.equal(row.customer, '0');
}

/** The expected refusal and its row. */
export interface Promised extends Expected {
  /** Without a known key there is no row; otherwise there is one with cost 0. */
  row?: 'free' | 'none';
}

/** Checks a refusal and its row; returns its message. */
export async function assertRefused(
  gateway: Pick<InProcessGateway, 'findRow' | 'waitForRow'>,
  response: Response,
  { row = 'free', ...expected }: Promised,
): Promise<string> {
  const message = await assertRefusal(response, expected);
  // A refusal is sent even if its row could not be written in time.
  if (row === 'free') assertFreeRow(await gateway.waitForRow(response), expected);
  else assert.equal(await gateway.findRow(response.headers.get('x-request-id') ?? ''), undefined);
  return message;
}

/** Checks that a text contains no internal details. */
export function assertRevealsNothing(text: string): void {
  assert.doesNotMatch(text, INSIDE);
}

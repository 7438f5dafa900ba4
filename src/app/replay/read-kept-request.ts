import type { AccessRule } from '#accounts';
import type { JsonObject, JsonValue } from '#base';
import type { CanonicalRequest, ClientFormatId, GenerationResult } from '#canonical';
import type { LogRow, StoredPayload } from '#logs';
import { parseJsonObject } from '#base';
import { findFormat } from '#canonical';
import { GatewayError } from '#errors';
import { readPreferences } from '#pipeline';
import { createGeminiInbound, getInboundFormat, listRequestedTools } from '#wire';
import { decodeAnswer } from '../payloads/decode-answer.ts';
import { NOT_KEPT } from './summarize-replay.ts';

/** A kept request that can be replayed. */
export interface KeptRequest {
  row: LogRow;
  format: ClientFormatId;
  body: JsonObject;
  bytes: Buffer;
  /** Without the members that name its user, session, tags, providers and other models. */
  sent: JsonObject;
  answer: GenerationResult;
  /** The request's own restrictions of its providers. */
  rules: readonly AccessRule[];
}

type Unusable = { reason: string };

const COMPLETE: ReadonlySet<string> = new Set(['completed', 'length', 'tool_calls', 'content_filter']);
const MIRRORED = /^mirror\//;
/** Members that choose the provider or name the caller: the replay sets its own. */
const OWN_MEMBERS = [
  'provider',
  'models',
  'fallbacks',
  'metadata',
  'labels',
  'client_metadata',
  'tags',
  'litellm_metadata',
  'session_id',
  'litellm_session_id',
];
const CONVERSATION: ReadonlySet<string> = new Set([
  'messages',
  'system',
  'input',
  'instructions',
  'contents',
  'systemInstruction',
  'system_instruction',
]);
/** What replaces credentials in stored payloads (`pipeline/path/settle/hide-credentials.ts`). */
const HIDDEN = '[hidden]';

/** Why a request cannot be replayed, as far as its row shows it. */
export function findReplayObstacle(
  row: LogRow,
  replayOrganizationId: string | undefined,
): string | undefined {
  if (row.organizationId === replayOrganizationId) return 'a replay itself';
  if (MIRRORED.test(row.endpoint)) return 'sent by a mirror';
  if (!findFormat(row.endpoint)) return 'not a text generation';
  if (row.cached) return 'answered from the response cache';
  if (row.credential === 'own') return 'answered with the organization’s own provider key';
  if (!COMPLETE.has(row.finishReason)) return `no complete answer (${row.finishReason})`;
  return row.errorCode === undefined ? undefined : `its answer was cut (${row.errorCode})`;
}

/** Reads a stored request and its answer, or why it cannot be replayed. */
export function readKeptRequest(row: LogRow, payload: StoredPayload | undefined): KeptRequest | Unusable {
  if (!payload) return { reason: NOT_KEPT };
  const { request, answer: kept } = payload;
  if (request.isCut || kept.isCut) return { reason: 'longer than the part that is kept' };
  const format = findFormat(row.endpoint);
  const body = parseJsonObject(request.text);
  if (!format || !body) return { reason: 'its body is not readable' };
  // The model may be in the address (Azure) or in `models`.
  const sent = { ...withoutOwn(body), ...(format !== 'gemini' && { model: row.requestedModel }) };
  if (isMasked(sent)) return { reason: 'credentials in it are not kept' };
  const decoded = decode(row, format, { body, sent });
  if ('reason' in decoded) return decoded;
  const answer = decodeAnswer(format, kept);
  if (!answer) return { reason: 'its answer is not readable' };
  return { row, format, body, bytes: Buffer.from(request.text), sent, answer, rules: decoded.rules };
}

function withoutOwn(body: JsonObject): JsonObject {
  const rest = { ...body };
  for (const name of OWN_MEMBERS) Reflect.deleteProperty(rest, name);
  return rest;
}

/** Whether a setting or tool lacks a value; in text and past calls it makes no difference. */
function isMasked(body: JsonObject): boolean {
  return Object.entries(body).some(([name, value]) => !CONVERSATION.has(name) && hasHidden(value));
}

function hasHidden(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value === HIDDEN;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasHidden);
}

function decode(
  row: LogRow,
  format: ClientFormatId,
  { body, sent }: Pick<KeptRequest, 'body' | 'sent'>,
): { rules: readonly AccessRule[] } | Unusable {
  const { requestedModel: model, stream } = row;
  const inbound = format === 'gemini' ? createGeminiInbound({ model, stream }) : getInboundFormat(format);
  const { previousId, itemIds = [] } = inbound.memory?.read(body) ?? {};
  if (previousId !== undefined || itemIds.length > 0) return { reason: 'continues a stored response' };
  try {
    const reason = findOutside(inbound.decodeRequest(sent, {}));
    if (reason !== undefined) return { reason };
    const wanted = { body, headers: {}, model, format, defaults: undefined };
    return { rules: readPreferences(wanted)?.rules ?? [] };
  } catch (error) {
    if (error instanceof GatewayError) return { reason: 'its body is not readable' };
    throw error;
  }
}

/** Why a request cannot be replayed: it refers to objects of its caller, or would have an effect besides its cost. */
function findOutside(request: CanonicalRequest): string | undefined {
  if (request.accountObjects?.some(({ isSpare }) => isSpare !== true) === true)
    return 'refers to files or other objects in a provider account';
  const [tool] = listRequestedTools(request);
  const name = tool?.type ?? request.unknownTools?.[0]?.name;
  if (name !== undefined) return `offers a tool that runs at the provider (${name.slice(0, 50)})`;
  if (request.otherModels) return 'names other models';
  return request.choices > 1 ? 'asks for several answers' : undefined;
}

import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Column } from './encode-record.ts';
import type { Settlement } from './ledger.ts';
import { encodeStorableJson } from './storable-json.ts';

/**
 * The columns of `request_log` in their order, as `request_log_decode` reads them from JSON. What neither can store, such
 * as a row without its start, is refused by the database here too, and the other way stores its outline.
 */
export function encodeLogRow(settlement: Settlement): Column[] {
  const row = settlement.row as unknown as JsonObject;
  const counts = isJsonObject(row['usage']) ? row['usage'] : {};
  const columns = encodeStart(settlement, row);
  for (const part of TOKENS) columns.push(print(counts[part]) ?? 0);
  addCost(columns, settlement, row);
  addNames(columns, row);
  for (const part of IMAGES) columns.push(print(counts[part]) ?? 0);
  columns.push(encodeJson(row['units']), encodeJson(row['modifiers']));
  for (const name of CLIENT_NAMES) columns.push(cut(row[name], 200));
  columns.push(encodeJson(row['tags']));
  columns.push(undefined); // its position, which the database gives
  addCache(columns, row);
  return columns;
}

const TOKENS = [
  'inputUncached',
  'inputCacheRead',
  'inputCacheWrite5m',
  'inputCacheWrite1h',
  'inputAudio',
  'outputText',
  'outputReasoning',
  'outputAudio',
  'webSearches',
];

const IMAGES = ['inputImage', 'outputImage'];

const CLIENT_NAMES = ['parentAgentId', 'runId', 'turnId', 'clientName', 'clientVersion'];

function encodeStart({ requestId, row: ids, estimated }: Settlement, row: JsonObject): Column[] {
  return [
    requestId,
    ids.organizationId,
    ids.projectId,
    ids.keyId,
    encodeTime(row['startedAt']),
    cut(row['endpoint'], 200),
    cut(row['format'], 50),
    print(row['stream']) ?? false,
    cut(row['requestedModel'], 500) ?? '',
    cut(row['modelId'], 500),
    cut(row['providerId'], 500),
    cut(row['externalId'], 500),
    print(row['finishReason']),
    print(row['status']),
    cut(row['errorCode'], 200),
    cut(row['errorMessage'], 4_000),
    print(row['cached']) ?? false,
    estimated,
  ];
}

function addCost(columns: Column[], { customer, provider }: Settlement, row: JsonObject): void {
  columns.push(
    customer,
    provider,
    cut(row['priceVersion'], 200),
    encodeJson(row['attempts']) ?? '[]',
    print(row['firstEventMs']),
    print(row['durationMs']) ?? 0,
  );
}

function addNames(columns: Column[], row: JsonObject): void {
  columns.push(
    cut(row['clientRequestId'], 500),
    cut(row['userAgent'], 500),
    cut(row['sessionId'], 120),
    cut(row['agentId'], 500),
    cut(row['upstreamId'], 500),
    'now', // of the transaction
    cut(row['sessionTokenId'], 120),
    cut(row['memberId'], 120),
    cut(row['endUserId'], 200),
    encodeCredential(row['credential']),
  );
}

/** The prompt as hashes, why it missed the cache, the first reason, and what marks saved. */
function addCache(columns: Column[], { promptChain, cacheMiss, cacheSaved }: JsonObject): void {
  const chain =
    typeof promptChain === 'string' ? Buffer.from(promptChain, 'base64').toString('hex') : undefined;
  const [reason] = isJsonObject(cacheMiss) && Array.isArray(cacheMiss['reasons']) ? cacheMiss['reasons'] : [];
  const code = isJsonObject(reason) ? reason['code'] : undefined;
  const stored = chain === undefined ? undefined : `\\x${chain}`;
  columns.push(stored, encodeJson(cacheMiss), cut(code, 50), print(cacheSaved));
}

const isNone = (value: JsonValue | undefined): value is null | undefined =>
  value === undefined || value === null;

/** A value that is not text by itself is printed with its record. */
function print(value: JsonValue | undefined): Column {
  return isNone(value) ? undefined : typeof value === 'object' ? JSON.stringify(value) : value;
}

function encodeJson(value: JsonValue | undefined): Column {
  return isNone(value) ? undefined : encodeStorableJson(value);
}

/** `left` counts characters, `length` at least as many. */
function cut(value: JsonValue | undefined, longest: number): Column {
  const text = print(value);
  if (typeof text !== 'string' || text.length <= longest) return text;
  return Array.from(text).slice(0, longest).join('');
}

function encodeTime(value: JsonValue | undefined): Column {
  return typeof value === 'number' && Math.abs(value) < 1e14
    ? new Date(Math.round(value)).toISOString()
    : print(value);
}

function encodeCredential(value: JsonValue | undefined): Column {
  return value === 'own' || value === 'gateway' ? value : undefined;
}

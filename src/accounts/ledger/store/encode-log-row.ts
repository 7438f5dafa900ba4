import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { LOG_COLUMNS, type LogColumn, type LogColumnKind } from '#storage';
import type { Column } from './encode-record.ts';
import type { Settlement } from '../ledger.ts';
import { encodeStorableJson } from './storable-json.ts';

type Write = (settlement: Settlement, row: JsonObject) => Column;

/** Columns that are not a member of the row as it is. */
const OWN: Readonly<Partial<Record<LogColumn, Write>>> = {
  requestId: ({ requestId }) => requestId,
  estimated: ({ estimated }) => estimated,
  customer: ({ customer }) => customer,
  provider: ({ provider }) => provider,
  credential: (_, { credential: value }) => (value === 'own' || value === 'gateway' ? value : undefined),
  closedAt: () => 'now', // of the transaction
  position: () => undefined, // which the database gives
  promptChain: (_, { promptChain: chain }) =>
    typeof chain === 'string' ? `\\x${Buffer.from(chain, 'base64').toString('hex')}` : undefined,
  missReason: (_, { cacheMiss: miss }) => {
    const [reason] = isJsonObject(miss) && Array.isArray(miss['reasons']) ? miss['reasons'] : [];
    return cut(isJsonObject(reason) ? reason['code'] : undefined, 50);
  },
};

/** Stored where a row has no value. */
const MISSING: Readonly<Partial<Record<LogColumn, Column>>> = {
  stream: false,
  requestedModel: '',
  cached: false,
  attempts: '[]',
  durationMs: 0,
};

const COLUMNS = (Object.entries(LOG_COLUMNS) as [LogColumn, LogColumnKind][]).map(([name, kind]) => ({
  name,
  kind,
  own: OWN[name],
  missing: kind === 'count' ? 0 : MISSING[name],
}));

/**
 * The columns of `request_log` in their order, as `request_log_decode` reads them from JSON. What neither can store, such
 * as a row without its start, is refused by the database here too, and the other way stores its outline.
 */
export function encodeLogRow(settlement: Settlement): Column[] {
  const row = settlement.row as unknown as JsonObject;
  const counts = isJsonObject(row['usage']) ? row['usage'] : {};
  return COLUMNS.map(({ name, kind, own, missing }) => {
    if (own) return own(settlement, row);
    const value = kind === 'count' ? counts[name] : row[name];
    return value === undefined || value === null ? missing : encodeValue(value, kind);
  });
}

function encodeValue(value: JsonValue, kind: LogColumnKind): Column {
  if (typeof kind === 'number') return cut(value, kind);
  if (kind === 'json') return encodeStorableJson(value);
  return kind === 'moment' ? encodeTime(value) : print(value);
}

/** A value that is not text by itself is printed with its record. */
function print(value: JsonValue | undefined): Column {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

/** `left` counts characters, `length` at least as many. */
function cut(value: JsonValue | undefined, longest: number): Column {
  const text = print(value);
  if (typeof text !== 'string' || text.length <= longest) return text;
  return Array.from(text).slice(0, longest).join('');
}

function encodeTime(value: JsonValue): Column {
  return typeof value === 'number' && Math.abs(value) < 1e14
    ? new Date(Math.round(value)).toISOString()
    : print(value);
}

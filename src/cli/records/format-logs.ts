import type { LogRow, StoredPayload } from '#app';
import type { JsonObject } from '#base';
import { inputTokensOf, outputTokensOf } from '#app';
import { formatCount, formatTime, formatUsd } from '#base';
import type { RecordNames } from '../terminal/names.ts';
import { type Table, createTable } from '../terminal/table.ts';

const SHORT_ID = 12;

/** How log rows are printed. */
export function createLogTable(): Table {
  return createTable([
    'time',
    'status',
    'finish',
    'model',
    'provider',
    'in',
    'cached',
    'written',
    'out',
    'usd',
    'ms',
    'key',
    'client',
    'session',
    'request',
  ]);
}

/** Log rows as text. */
export function formatRows(rows: readonly LogRow[], names: RecordNames, table = createLogTable()): string[] {
  return table.push(
    rows.map((row) => {
      const { usage } = row;
      return [
        formatTime(row.startedAt),
        String(row.status),
        row.cached ? `${row.finishReason} (cached)` : (row.errorCode ?? row.finishReason),
        row.modelId ?? row.requestedModel,
        row.providerId ?? '–',
        String(inputTokensOf(usage)),
        String(usage.inputCacheRead),
        String(usage.inputCacheWrite5m + usage.inputCacheWrite1h),
        String(outputTokensOf(usage)),
        formatUsd(BigInt(row.customer)),
        row.durationMs.toFixed(0),
        names.showShort(row.keyId),
        row.clientName ?? '–',
        shorten(row.sessionId),
        row.requestId,
      ];
    }),
  );
}

/** The beginning of a session's id distinguishes it from others; `--request` shows all of it. */
function shorten(id = '–'): string {
  return id.length > SHORT_ID ? `${id.slice(0, SHORT_ID - 1)}…` : id;
}

const NAME_WIDTH = 19;
const IN_USD: ReadonlySet<string> = new Set(['cost', 'provider_cost', 'cache_saved', 'amount']);

/** One row as text: the members of its JSON that have a value, a line for each and for each entry of a list. */
export function formatRow(row: JsonObject): string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    name === 'object'
      ? []
      : (Array.isArray(value) ? value : [value])
          .map((one: unknown) => formatValue(name, one))
          .filter((text) => text !== '')
          .map((text) => `${name.padEnd(NAME_WIDTH)} ${text}`),
  );
}

function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (name === 'cache_miss') return formatMiss(value as EncodedMiss);
  if (Array.isArray(value)) return value.map((one: unknown) => `(${formatValue(name, one)})`).join(' ');
  if (typeof value === 'object')
    return Object.entries(value)
      .filter(([, member]) => member !== 0)
      .map(([member, amount]) => [member, formatValue(member, amount)])
      .filter(([, text]) => text !== '')
      .map((pair) => pair.join(' '))
      .join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return IN_USD.has(name) ? `${text} USD` : text;
}

interface EncodedMiss {
  text: string;
  tokens: number;
  cost: string;
}

/** Why a request missed the prompt cache, and what that cost. */
const formatMiss = ({ text, tokens, cost }: EncodedMiss): string =>
  `${text}: ${formatCount(tokens, 'token')}, ${cost} USD`;

/** A payload as text. */
export function formatPayload({ request, answer, expiresAt }: StoredPayload): string[] {
  const part = (name: string, { text, bytes, isCut }: StoredPayload['request']): string[] => [
    `--- ${name}, ${formatCount(bytes, 'byte')}${isCut ? ', cut' : ''}`,
    text,
  ];
  return [
    `kept until ${formatTime(expiresAt)}`,
    ...part('request', request),
    `--- headers of the answer, ${answer.status}`,
    ...Object.entries(answer.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...part('answer', answer),
  ];
}

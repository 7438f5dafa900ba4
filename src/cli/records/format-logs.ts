import type { CacheMiss, LogRow, StoredPayload } from '#app';
import { describeMiss, inputTokensOf, outputTokensOf } from '#app';
import { formatCount, formatTime, formatUsd, toSnakeCase } from '#base';
import { toPlainText } from '../terminal/plain-text.ts';
import { type Table, createTable } from '../terminal/table.ts';

const SHORT_ID = 12;
/** The names that differ from those in a row; the others are the same in snake case. */
const NAMES: Record<string, string> = {
  requestId: 'id',
  externalId: 'model',
  customer: 'cost',
  provider: 'provider_cost',
  waitedMs: 'wait_ms',
};

/** How log rows are printed. */
export function createLogTable(): Table {
  return createTable([
    ...['time', 'status', 'finish', 'model', 'provider', 'in', 'cached', 'written', 'out'],
    ...['usd', 'ms', 'client', 'session', 'request'],
  ]);
}

/** Log rows as text. */
export function formatRows(rows: readonly LogRow[], table = createLogTable()): string[] {
  return table.push(
    rows.map((row) => {
      const { usage } = row;
      return [
        formatTime(row.startedAt),
        String(row.status),
        row.cached ? `${row.finishReason} (cached)` : row.finishReason,
        row.modelId ?? row.requestedModel,
        row.providerId ?? '–',
        String(inputTokensOf(usage)),
        String(usage.inputCacheRead),
        String(usage.inputCacheWrite5m + usage.inputCacheWrite1h),
        String(outputTokensOf(usage)),
        formatUsd(BigInt(row.customer)),
        row.durationMs.toFixed(0),
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

/** One row as text, one line per field, under the names of its JSON. */
export function formatRow(row: LogRow): string[] {
  return Object.entries(row).flatMap(([name, value]: [string, unknown]) =>
    (name === 'attempts' && Array.isArray(value) ? value : [value]).map(
      (one) => `${nameField(name).padEnd(17)} ${formatValue(name, one)}`,
    ),
  );
}

function nameField(name: string): string {
  return NAMES[name] ?? toSnakeCase(name);
}

/** A payload as text. */
export function formatPayload({ request, answer, expiresAt }: StoredPayload): string[] {
  const part = (name: string, { text, bytes, isCut }: StoredPayload['request']): string[] => [
    `--- ${name}, ${formatCount(bytes, 'byte')}${isCut ? ', cut' : ''}`,
    toPlainText(text),
  ];
  return [
    `kept until ${formatTime(expiresAt)}`,
    ...part('request', request),
    `--- headers of the answer, ${answer.status}`,
    ...Object.entries(answer.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...part('answer', answer),
  ];
}

/** Why a request missed the prompt cache, and what that cost. */
function formatMiss(miss: CacheMiss): string {
  return `${describeMiss(miss)}: ${formatCount(miss.tokens, 'token')}, ${formatUsd(BigInt(miss.cost))} USD`;
}

function formatValue(name: string, value: unknown): string {
  if (name === 'cacheMiss') return formatMiss(value as CacheMiss);
  if (name === 'startedAt' && typeof value === 'number') return formatTime(value);
  if ((name === 'customer' || name === 'provider' || name === 'cacheSaved') && typeof value === 'string')
    return `${formatUsd(BigInt(value))} USD`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return typeof value === 'string' ? value : JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== 0);
  return (
    members.map(([member, amount]) => `${nameField(member)} ${formatValue(member, amount)}`).join(', ') ||
    'none'
  );
}

import type { Command } from 'commander';
import type { LogFilter, LogRow, Stores } from '#app';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, formatUsd } from '#base';
import { InvalidArgumentError } from 'commander';
import { type CommonOptions, defineCommand } from './command.ts';
import { print, toJson } from './output.ts';
import { readWhole } from './read-amount.ts';
import { formatTable, formatTime } from './table.ts';
import { withStores } from './with-stores.ts';

interface LogsOptions extends CommonOptions {
  follow?: boolean;
  request?: string;
  model?: string;
  finish?: string;
  key?: string;
  project?: string;
  since?: number;
  limit: number;
}

const PAGE = 1000;
const FOLLOW_PAGE = 200;
const FOLLOW_EVERY_MS = 1_000;
/** A row appears when its request ends, so a long one comes behind others that began later. */
const LONGEST_REQUEST_MS = 60 * 60_000;
const FINISHES = [
  'completed',
  'length',
  'tool_calls',
  'content_filter',
  'canceled',
  'client_error',
  'upstream_error',
  'gateway_error',
] as const satisfies readonly LogRow['finishReason'][];

export function createLogsCommand(): Command {
  return defineCommand({
    name: 'logs',
    summary: 'Show what became of requests, newest first.',
    examples: ['logs', 'logs --follow', 'logs --finish upstream_error --since 2h', 'logs --request req_…'],
  })
    .option('--follow', 'show new rows as they come, oldest first')
    .option('--request <id>', 'everything about one request (its x-request-id)')
    .option('--model <name>', 'only this model')
    .option('--finish <reason>', `only this ending: ${FINISHES.join(', ')}`, readFinish)
    .option('--key <id>', 'only this key')
    .option('--project <id>', 'only this project')
    .option('--since <time>', 'only requests since then: 30m, 2h, 7d or an ISO time', readSince)
    .option('--limit <rows>', 'how many rows', readWhole(1, 100_000_000), 50)
    .action(async (options: LogsOptions) =>
      withStores(options, (stores) => {
        if (options.request !== undefined) return showOne(stores, options.request, options);
        return options.follow === true ? follow(stores, options) : showList(stores, options);
      }),
    );
}

async function showOne({ logs }: Stores, requestId: string, options: LogsOptions): Promise<void> {
  const row = await logs.findAsOperator(requestId);
  if (!row) throw new Error(`there is no row for the request ${requestId}`);
  print(options, row, () => Object.entries(row).map(([name, value]) => `${name.padEnd(16)} ${formatValue(name, value)}`));
}

async function showList(stores: Stores, options: LogsOptions): Promise<void> {
  const rows = await readRows(stores, options);
  print(options, { data: rows }, () => (rows.length === 0 ? ['no requests'] : formatRows(rows)));
}

/** Pages through the list by the place of its last row. */
async function readRows({ logs }: Stores, options: LogsOptions): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  while (rows.length < options.limit) {
    const wanted = Math.min(PAGE, options.limit - rows.length);
    const page = await logs.listAsOperator({ ...toFilter(options), ...after(rows.at(-1)), limit: wanted });
    rows.push(...page);
    if (page.length < wanted) break;
  }
  return rows;
}

function after(last: LogRow | undefined): Pick<LogFilter, 'before'> {
  return last ? { before: { startedAt: last.startedAt, requestId: last.requestId } } : {};
}

async function follow(stores: Stores, options: LogsOptions): Promise<void> {
  const seen = new Map<string, number>();
  let isFirst = true;
  for (;;) {
    const rows = await readUnseen(stores, options, isFirst ? undefined : seen);
    for (const row of rows) seen.set(row.requestId, row.startedAt);
    if (rows.length > 0) write(rows.reverse(), options, isFirst);
    isFirst = false;
    const oldest = systemClock.now() - LONGEST_REQUEST_MS;
    for (const [id, startedAt] of seen) if (startedAt < oldest) seen.delete(id);
    await sleep(FOLLOW_EVERY_MS);
  }
}

/** Rows of the last hour that were not shown yet, newest first; stops at a page that holds nothing new. */
async function readUnseen({ logs }: Stores, options: LogsOptions, seen: ReadonlyMap<string, number> | undefined): Promise<LogRow[]> {
  if (!seen) return logs.listAsOperator({ ...toFilter(options), limit: Math.min(options.limit, FOLLOW_PAGE) });
  const since = Math.max(options.since ?? 0, systemClock.now() - LONGEST_REQUEST_MS);
  const unseen: LogRow[] = [];
  let last: LogRow | undefined;
  for (;;) {
    const page = await logs.listAsOperator({ ...toFilter(options), since, ...after(last), limit: FOLLOW_PAGE });
    const fresh = page.filter(({ requestId }) => !seen.has(requestId));
    unseen.push(...fresh);
    last = page.at(-1);
    if (fresh.length === 0 || page.length < FOLLOW_PAGE) return unseen;
  }
}

function write(rows: readonly LogRow[], options: LogsOptions, isFirst: boolean): void {
  const lines = options.json === true ? rows.map((row) => toJson(row)) : formatRows(rows).slice(isFirst ? 0 : 1);
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

function toFilter({ model, finish, key, project, since }: LogsOptions): LogFilter {
  return {
    ...(model !== undefined && { model }),
    ...(finish !== undefined && { finishReason: finish as LogRow['finishReason'] }),
    ...(key !== undefined && { keyId: key }),
    ...(project !== undefined && { projectId: project }),
    ...(since !== undefined && { since }),
  };
}

function formatRows(rows: readonly LogRow[]): string[] {
  return formatTable(
    ['time', 'status', 'finish', 'model', 'provider', 'in', 'out', 'usd', 'ms', 'request'],
    rows.map((row) => {
      const { usage } = row;
      const input = usage.inputUncached + usage.inputCacheRead + usage.inputCacheWrite5m + usage.inputCacheWrite1h;
      return [
        formatTime(row.startedAt),
        String(row.status),
        row.cached ? `${row.finishReason} (cached)` : row.finishReason,
        row.modelId ?? row.requestedModel,
        row.providerId ?? '–',
        String(input + usage.inputAudio),
        String(usage.outputText + usage.outputReasoning + usage.outputAudio),
        formatUsd(BigInt(row.customer)),
        row.durationMs.toFixed(0),
        row.requestId,
      ];
    }),
  );
}

function formatValue(name: string, value: unknown): string {
  if (name === 'startedAt' && typeof value === 'number') return formatTime(value);
  if ((name === 'customer' || name === 'provider') && typeof value === 'string') return `${formatUsd(BigInt(value))} USD`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function readFinish(text: string): string {
  if (FINISHES.some((finish) => finish === text)) return text;
  throw new InvalidArgumentError(`Known are ${FINISHES.join(', ')}.`);
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function readSince(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined) return systemClock.now() - Number(amount) * (UNITS[unit] ?? 0);
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('Write 30m, 2h, 7d or an ISO time.');
  return time;
}

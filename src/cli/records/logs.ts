import type { Command } from 'commander';
import { FILTER_NAMES, type LogRow, type Stores, encodeLog, encodePayload, toTenants } from '#app';
import { defineCommand } from '../terminal/command.ts';
import { followLogs } from './follow-logs.ts';
import { formatPayload, formatRow, formatRows } from './format-logs.ts';
import { addFilters, explainEmptyResult, toFilter } from './filters.ts';
import { type LogsOptions, after, readKeyNames } from './log-query.ts';
import { print } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { createStartOption, readSince } from '../terminal/read-time.ts';
import { untilInterrupted, withStores } from '../terminal/with-stores.ts';
import { Misuse } from '../terminal/misuse.ts';

const PAGE = 1000;

export function createLogsCommand(): Command {
  const command = defineCommand({
    name: 'logs',
    summary: 'List requests with their outcome, newest first.',
    examples: [
      'logs',
      'logs --follow',
      'logs --finish upstream_error --since 2h',
      'logs --error key_limit_reached',
      'logs --request req_…',
    ],
  })
    .option('--follow', 'show new rows as they come, oldest first')
    .option('--request <id>', 'everything about one request (its x-request-id)')
    .option('--payload', 'with --request: the request and response bodies, if the project stores them');
  return addFilters(command, FILTER_NAMES)
    .addOption(createStartOption())
    .option('--until <time>', 'only requests before then', readSince)
    .option('--limit <rows>', 'how many rows', readWhole(1, 100_000_000), 50)
    .action(async (options: LogsOptions) => {
      if (options.payload === true && options.request === undefined)
        throw new Misuse('name the request with --request <id>; `logs` lists them');
      return options.follow === true && options.request === undefined
        ? untilInterrupted(options, (opened) => followLogs(opened.stores, opened.options, opened.signal))
        : withStores(options, showRows);
    });
}

async function showRows(stores: Stores, options: LogsOptions): Promise<void> {
  if (options.request !== undefined) return showOne(stores, options.request, options);
  return showList(stores, options);
}

async function showOne({ logs, payloads }: Stores, requestId: string, options: LogsOptions): Promise<void> {
  if (options.payload === true) {
    const payload = await payloads.find(requestId, 'all');
    if (!payload)
      throw new Error(
        `no payload of ${requestId} is stored; projects list shows which projects store payloads, and for how long`,
      );
    print(options, encodePayload(requestId, payload), () => formatPayload(payload));
    return;
  }
  const row = await logs.find(requestId, 'all');
  if (!row)
    throw new Error(`there is no row for the request ${requestId} (npx sluice logs shows what there is)`);
  const encoded = encodeLog(row, true);
  print(options, encoded, () => formatRow(encoded));
}

async function showList(stores: Stores, options: LogsOptions): Promise<void> {
  const rows = await readRows(stores, options);
  if (rows.length === 0) await explainEmptyResult(stores, toFilter(options), options);
  const names = await readKeyNames(stores, rows, options);
  print(options, { object: 'list', data: rows.map((row) => encodeLog(row, true)) }, () =>
    rows.length === 0 ? ['no requests'] : formatRows(rows, names),
  );
}

/** Pages through the list by the place of its last row. */
async function readRows({ logs }: Stores, options: LogsOptions): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  while (rows.length < options.limit) {
    const wanted = Math.min(PAGE, options.limit - rows.length);
    const filter = toFilter(options);
    const page = await logs.list({ ...filter, ...after(rows.at(-1)), limit: wanted }, toTenants(filter));
    rows.push(...page);
    if (page.length < wanted) break;
  }
  return rows;
}

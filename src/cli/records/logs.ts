import type { Command } from 'commander';
import { type AnyReport, type Stores, encodeLog, payloadType } from '#app';
import type { CommonOptions } from '../terminal/command.ts';
import { followLogs } from './follow-logs.ts';
import { formatPayload, formatRow } from './format-logs.ts';
import { Misuse } from '../terminal/misuse.ts';
import { print } from '../terminal/output.ts';
import { untilInterrupted, withStores } from '../terminal/with-stores.ts';
import { readCall, runReport } from '../reports/report-commands.ts';

interface ShowOptions extends CommonOptions {
  follow?: boolean;
  request?: string;
  payload?: boolean;
}

/** What `sluice logs` shows besides the list. */
export function extendLogs(command: Command, report: AnyReport): void {
  command
    .option('--follow', 'show new rows as they come, oldest first')
    .option('--request <id>', 'everything about one request (its x-request-id)')
    .option('--payload', 'with --request: the request and response bodies, if the project stores them')
    .action(async (options: ShowOptions) => {
      const { request, payload, follow } = options;
      if (request !== undefined) return withStores(options, (stores) => showOne(stores, request, options));
      if (payload === true) throw new Misuse('name the request with --request <id>; `logs` lists them');
      if (follow !== true) return runReport(command, report);
      return untilInterrupted(options, async ({ stores, options: known, signal }) => {
        const { input } = await readCall(command, report, { stores, known });
        await followLogs({ stores, filter: input, options }, signal);
      });
    });
}

async function showOne({ logs, payloads }: Stores, requestId: string, options: ShowOptions): Promise<void> {
  if (options.payload === true) {
    const payload = await payloads.find(requestId, 'all');
    if (!payload)
      throw new Error(
        `no payload of ${requestId} is stored; projects list shows which projects store payloads, and for how long`,
      );
    print(options, payloadType.encode(payload), () => formatPayload(payload));
    return;
  }
  const row = await logs.find(requestId, 'all');
  if (!row)
    throw new Error(`there is no row for the request ${requestId} (npx sluice logs shows what there is)`);
  const encoded = encodeLog(row, true);
  print(options, encoded, () => formatRow(encoded));
}

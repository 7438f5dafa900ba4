import type { Command } from 'commander';
import {
  type ExpiredRequest,
  type RequestExplanation,
  encodeBill,
  encodeLedgerCheck,
  explainRequest,
  findExpired,
  loadStoreSettings,
} from '#app';
import { formatTime, formatUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { checkLedger, describeLedgerCheck } from './check-ledger.ts';
import { interruptible } from '../terminal/interruption.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

const MILLION = 1_000_000;

export function createLedgerCommand(): Command {
  const check = defineCommand({
    name: 'check',
    summary:
      'Recompute the ledger: entries, meters, holds and log rows must agree, and every cost must be its usage at the prices ' +
      'it was charged at. Exit code 1 where they do not. ' +
      'Also reports how many settlements are in the journal of this data directory, and what crashed processes may have lost.',
    examples: ['ledger check'],
  }).action(async (options: CommonOptions) => {
    const books = await interruptible((signal) => checkLedger(loadStoreSettings(toOrigin(options)), signal));
    if (books.differences.length > 0) process.exitCode = 1;
    print(options, encodeLedgerCheck(books), () => describeLedgerCheck(books));
  });
  return defineGroup('ledger', 'Check and explain the ledger.', [check, createExplain()]);
}

function createExplain(): Command {
  return defineCommand({
    name: 'explain',
    summary: 'Show what a request cost: every unit × price = amount.',
    examples: ['ledger explain req_…'],
  })
    .argument('<request>', 'the id of the request, as `logs` shows it')
    .action(async (requestId: string, options: CommonOptions) => {
      const found = await withStores(options, async (stores) => ({
        explanation: await explainRequest(stores, requestId),
        expired: await findExpired(stores, requestId),
      }));
      if (found.explanation) {
        const { explanation } = found;
        print(options, encodeBill(explanation.row, explanation, true), () => formatExplanation(explanation));
      } else if (found.expired) printExpired(options, found.expired);
      else throw new Error('there is no such request (npx sluice logs shows what there is)');
    });
}

/** The log row has expired: the ledger has the amounts, not the request. */
function printExpired(options: CommonOptions, { requestId, settledAt, ...sums }: ExpiredRequest): void {
  const json = {
    object: 'bill',
    id: requestId,
    expired: true,
    settled_at: new Date(settledAt).toISOString(),
    cost: formatUsd(sums.customer),
    provider_cost: formatUsd(sums.provider),
  };
  print(options, json, () => [
    `${requestId}: settled ${formatTime(settledAt)}; its log row has expired (logs.maxAgeDays, logs.maxSizeGb)`,
    `provider ${json.provider_cost} USD, customer ${json.cost} USD`,
  ]);
}

type Line = ReturnType<typeof encodeBill>['lines'][number];

/** Names of lines; a model is only named if there are several parts. */
function nameLine({ model, part, detail }: Line, { modifiers }: RequestExplanation['row']): string {
  return [(modifiers?.length ?? 0) > 1 && model, part, detail]
    .filter((text) => typeof text === 'string')
    .join(' ');
}

function describePrice({ price, per, factor }: Line): string {
  if (factor !== null) return `× ${factor}`;
  return per === 1 ? (price ?? '') : `${price} per ${per === MILLION ? 'million' : per}`;
}

function formatExplanation(explanation: RequestExplanation): string[] {
  const { row, isPriceKnown, ...sums } = explanation;
  const { lines } = encodeBill(row, explanation, true);
  const remarks = [
    row.cached && 'replayed from the cache, at no cost',
    row.errorCode === 'client_closed' && (row.errorMessage ?? ''),
    row.estimated && 'the usage is an estimate of this gateway',
    !isPriceKnown &&
      row.priceVersion !== undefined &&
      `its prices (version ${row.priceVersion}) were not kept`,
    lines.length > 0 &&
      !row.modifiers &&
      sums.total !== sums.provider &&
      'several generations; each was priced separately',
    sums.customer < sums.provider &&
      (row.credential === 'own'
        ? 'the provider billed the organization’s own key'
        : 'the rest is borne by the operator'),
  ];
  return [
    `${row.requestId}: ${row.modelId ?? row.requestedModel} by ${row.providerId ?? 'no provider'}, ${row.finishReason}`,
    ...(lines.length === 0
      ? []
      : formatTable(
          ['part', 'units', 'price', 'usd'],
          lines.map((line) => [
            nameLine(line, row),
            line.units === null ? '' : String(line.units),
            describePrice(line),
            line.amount,
          ]),
        )),
    `provider ${formatUsd(sums.provider)} USD, customer ${formatUsd(sums.customer)} USD`,
    ...remarks.filter((remark) => remark !== false),
  ];
}

import type { Command } from 'commander';
import type { FeedComparison, FeedDifference, PriceDifference, Settings } from '#app';
import { compareFeed, comparePrices, describeChange, loadSettings } from '#app';
import { encodeMembers, encodeTime, formatUsd } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { createStartOption } from '../terminal/read-time.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';
import { Misuse } from '../terminal/misuse.ts';

interface DiffOptions extends CommonOptions {
  since: number;
  prices?: string;
}

/** `catalogue diff`: of a feed, or of a public list of prices. */
export function createDiffCommand(): Command {
  return defineCommand({
    name: 'diff',
    summary:
      'Show what a feed would change, and what the requests of the last 30 days would have cost: the feed of ' +
      '`catalogue.url`, or a file. Or compare the prices in force with a public list.',
    examples: [
      'catalogue diff',
      'catalogue diff feed.json --last 7d',
      'catalogue diff --prices model_prices_and_context_window.json',
    ],
  })
    .argument('[file]', 'a feed; it needs no signature')
    .option('--prices <file>', 'the list of LiteLLM, or the models of OpenRouter, as JSON')
    .addOption(createStartOption(undefined, '30d'))
    .action(async (file: string | undefined, { since, prices, ...options }: DiffOptions) => {
      if (file !== undefined && prices !== undefined)
        throw new Misuse('name a feed or a list of prices, not both');
      const settings = await loadSettings(toOrigin(options), 'show');
      if (prices !== undefined) return printPrices(settings, { ...options, file: prices, since });
      const found = await withStores(options, (stores) => compareFeed(settings, stores, { file, since }));
      print(options, encodeComparison(found), () => formatComparison(found));
    });
}

function encodeComparison({ sequence, differences, unknownProviders }: FeedComparison): object {
  return {
    sequence,
    data: differences.map((one) => ({
      ...encodeMembers(one, ['kind', 'modelId', 'providerId']),
      from: encodeTime(one.from),
      amounts: one.amounts.map((amount) => ({
        ...encodeMembers(amount, ['name', 'before', 'after']),
        needs_acceptance: amount.isJump,
      })),
      requests: one.requests,
      actual_cost: formatUsd(one.actual),
      ...encodeMembers(one, ['cost']),
    })),
    unknown_providers: unknownProviders,
  };
}

function formatComparison({ sequence, differences, unknownProviders }: FeedComparison): string[] {
  const left = unknownProviders.map((id) => `left out: ${id}, a provider that this version does not know`);
  if (differences.length === 0) return [`the feed ${sequence} changes nothing`, ...left];
  const rows = differences.map((one) => [
    String(one.requests),
    formatUsd(one.actual),
    one.cost === undefined ? '–' : formatUsd(one.cost),
    describeDifference(one),
  ]);
  return [...formatTable(['requests', 'cost, usd', 'then, usd', 'change'], rows), ...left];
}

function describeDifference(one: FeedDifference): string {
  const isHeld = one.amounts.some(({ isJump }) => isJump);
  return `${describeChange(one)}${isHeld ? ' (needs catalogue update --accept)' : ''}`;
}

async function printPrices(
  settings: Settings,
  { file, since, ...options }: CommonOptions & { file: string; since: number },
): Promise<void> {
  const { compared, differences } = await withStores(options, (stores) =>
    comparePrices(settings, stores, { file, since }),
  );
  print(options, { compared, data: differences.map(encodePrice) }, () => [
    ...(differences.length === 0 ? [] : formatPrices(differences)),
    `${differences.length} of ${compared} prices differ from the list`,
  ]);
}

const encodePrice = (one: PriceDifference): object => ({
  ...encodeMembers(one, ['modelId', 'providerId']),
  amounts: one.amounts,
  requests: one.requests,
  actual_cost: formatUsd(one.actual),
  cost: formatUsd(one.cost),
});

function formatPrices(differences: readonly PriceDifference[]): string[] {
  return formatTable(
    ['requests', 'cost, usd', 'by the list, usd', 'price, usd per million tokens'],
    differences.map(({ modelId, providerId, amounts, requests, actual, cost }) => [
      String(requests),
      formatUsd(actual),
      formatUsd(cost),
      `${providerId}/${modelId}: ${amounts.map(({ name, here, listed }) => `${name} ${here}, listed ${listed}`).join('; ')}`,
    ]),
  );
}

import { readFileSync } from 'node:fs';
import type { PicoUsd } from '#base';
import type { BillReader } from '#logs';
import type { Database } from '#storage';
import type { Settings } from '../settings/settings.ts';
import { priceUsed } from '#advice';
import { parseJson, systemClock } from '#base';
import { comparePriceList, readPriceList } from '#catalogue';
import { readEffectiveCatalogue } from './effective-catalogue.ts';

/** A price that differs from a public list's, and the requests it would have affected. */
export interface PriceDifference {
  modelId: string;
  providerId: string;
  amounts: { name: string; here: string; listed: string }[];
  requests: number;
  /** What they cost. */
  actual: PicoUsd;
  /** What they would have cost at the prices of the list. */
  cost: PicoUsd;
}

interface PriceComparison {
  compared: number;
  /** The most expensive first. */
  differences: PriceDifference[];
}

/** Compares the prices in force with a public list in a file. Throws an Error for a file that is none. */
export async function comparePrices(
  settings: Pick<Settings, 'catalogue' | 'providers'>,
  { bills, database }: { bills: BillReader; database: Database },
  { file, since }: { file: string; since: number },
): Promise<PriceComparison> {
  const list = readPriceList(parseJson(readFileSync(file, 'utf8')));
  if (!list)
    throw new Error(
      `${file} is not a list of prices: neither model_prices_and_context_window.json of LiteLLM nor the models of OpenRouter`,
    );
  const now = systemClock.now();
  const catalogue = await readEffectiveCatalogue(settings, database);
  const { compared, drifts } = comparePriceList(catalogue, list, now);
  const mappings = drifts.map(({ listed }) => listed);
  const used = await priceUsed({ bills, catalogue, now }, { since }, mappings);
  const differences = drifts.map(({ modelId, providerId, amounts }) => {
    const { requests = 0, actual = 0n, cost = 0n } = used.get(`${providerId}/${modelId}`) ?? {};
    return { modelId, providerId, amounts, requests, actual, cost };
  });
  return { compared, differences: differences.toSorted((a, b) => Number(b.actual - a.actual)) };
}

import { formatUsd, parsePricePerMillion } from '#base';
import type { UsagePart } from '#canonical';
import type { Catalogue, Mapping } from '../catalogue.ts';
import { isActive } from '../names/resolve-model.ts';
import { type Price, replaceParts } from '../price.ts';
import type { ListedAmounts, ListedPrice } from './price-list.ts';

/** A price that differs from a list's. */
interface PriceDrift {
  modelId: string;
  providerId: string;
  /** USD per million tokens. */
  amounts: { name: string; here: string; listed: string }[];
  /** The mapping at the price of the list. */
  listed: PricedMapping;
}

interface PriceListComparison {
  /** How many prices both have. */
  compared: number;
  drifts: PriceDrift[];
}

/** Compares the prices of a catalogue with a list. Prices of long prompts, tools and media are not compared. */
export function comparePriceList(
  catalogue: Catalogue,
  list: readonly ListedPrice[],
  now: number,
): PriceListComparison {
  const index = indexMappings(catalogue, now);
  const found = new Map<PricedMapping, ListedAmounts>();
  for (const { providerId, name, amounts } of list) {
    const mapping = index.get(toKey(providerId, name));
    if (mapping && !found.has(mapping)) found.set(mapping, amounts);
  }
  const drifts = [...found].flatMap(([mapping, amounts]) => findDrift(mapping, amounts));
  return { compared: found.size, drifts };
}

type PricedMapping = Mapping & { price: Price };

/** Priced mappings by every name of their model, and the provider's own. Regions have prices of their own. */
function indexMappings({ models }: Catalogue, now: number): Map<string, PricedMapping> {
  const index = new Map<string, PricedMapping>();
  for (const { id, aliases, mappings } of models.values())
    for (const mapping of mappings.filter((one) => isComparable(one, now))) {
      const names = [mapping.externalId, id, ...aliases].map((name) => toKey(mapping.providerId, name));
      for (const name of names.filter((one) => !index.has(one))) index.set(name, mapping);
    }
  return index;
}

function isComparable(mapping: Mapping, now: number): mapping is PricedMapping {
  return mapping.price !== undefined && mapping.region === undefined && isActive(mapping, now);
}

/** Lists spell versions with points, here they have hyphens, and providers prefix the author. */
function toKey(providerId: string, name: string): string {
  return `${providerId}/${name.toLowerCase().replaceAll(/[._:@]/g, '-')}`;
}

const PART: Record<keyof ListedAmounts, UsagePart> = {
  input: 'inputUncached',
  output: 'outputText',
  cacheRead: 'inputCacheRead',
  cacheWrite5m: 'inputCacheWrite5m',
};

function findDrift(mapping: PricedMapping, listed: ListedAmounts): PriceDrift[] {
  const { price, modelId, providerId } = mapping;
  const changed: Partial<Record<UsagePart, bigint>> = {};
  const names = (Object.keys(PART) as (keyof ListedAmounts)[]).filter((name) => listed[name] !== undefined);
  const named = new Set(names.map((name) => PART[name]));
  const amounts = names.flatMap((name) => {
    const amount = parsePricePerMillion(listed[name] ?? '');
    const here = price.parts[PART[name]];
    if (amount === undefined || amount === here) return [];
    for (const part of partsLike(price, PART[name])) if (!named.has(part)) changed[part] = amount;
    changed[PART[name]] = amount;
    return [{ name, here: toPerMillion(here), listed: toPerMillion(amount) }];
  });
  if (amounts.length === 0) return [];
  return [{ modelId, providerId, amounts, listed: { ...mapping, price: replaceParts(price, changed) } }];
}

/** Parts that cost the same because they have no price of their own. */
const FOLLOWERS: Partial<Record<UsagePart, readonly UsagePart[]>> = {
  inputUncached: ['inputAudio', 'inputImage', 'inputCacheRead', 'inputCacheWrite5m', 'inputCacheWrite1h'],
  outputText: ['outputReasoning', 'outputAudio', 'outputImage'],
  inputCacheWrite5m: ['inputCacheWrite1h'],
};

function partsLike({ parts }: Price, part: UsagePart): UsagePart[] {
  return (FOLLOWERS[part] ?? []).filter((other) => parts[other] === parts[part]);
}

const toPerMillion = (perToken: bigint): string => formatUsd(perToken * 1_000_000n);

import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { toPerMillion } from '../parts/format.ts';
import { ABILITIES, type Ability, type ModelsSearch, type Order } from './models-search.ts';

export type Model = AnswerOf<'/v1/models', 'get'>['data'][number];
export type Offer = Model['providers'][number];

const FRESH_MS = 60_000;

export const catalogueQuery = queryOptions({
  queryKey: ['catalogue'],
  queryFn: () => call('get', '/v1/models'),
  staleTime: FRESH_MS,
});

/** What of it can be called: by providers that have a credential here. */
export const availableQuery = queryOptions({
  queryKey: ['catalogue', 'available'],
  queryFn: () => call('get', '/v1/models', { query: { available: 'true' } }),
  staleTime: FRESH_MS,
});

const HAS: Readonly<Record<Ability, (model: Model) => boolean>> = {
  tools: ({ providers }) => providers.some(({ tools }) => tools),
  vision: ({ architecture }) => architecture.input_modalities.includes('image'),
  reasoning: ({ providers }) => providers.some(({ reasoning }) => reasoning),
  structured: (model) => model.structured_outputs,
};

export const ABILITY_NAMES: Readonly<Record<Ability, string>> = {
  tools: 'tools',
  vision: 'images',
  reasoning: 'reasoning',
  structured: 'JSON schema',
};

export const describeAbilities = (model: Model): string =>
  ABILITIES.filter((ability) => HAS[ability](model))
    .map((ability) => ABILITY_NAMES[ability])
    .join(', ');

/** Prices that are not known come last. */
const AMOUNTS: Readonly<Record<Exclude<Order, 'name' | 'context'>, (model: Model) => number>> = {
  input: ({ pricing }) => priceToSort(pricing.prompt),
  cached: ({ pricing }) => priceToSort(pricing.input_cache_read),
  output: ({ pricing }) => priceToSort(pricing.completion),
};

const priceToSort = (price: string): number => (price === '' ? Infinity : Number(price));

/** Whether a price per token is known and at most so much per million tokens; any is within no limit. */
const isWithin = (price: string, most: number): boolean =>
  most === Infinity || (price !== '' && Number(toPerMillion(price)) <= most);

/** The models that fit, in the wanted order. */
export function chooseModels(models: readonly Model[], search: ModelsSearch): Model[] {
  const { find = '', provider, can, sort = 'name', ended = false } = search;
  const { input = Infinity, output = Infinity, context = 0 } = search;
  const words = find.toLowerCase().split(/\s+/);
  const fits = (model: Model): boolean => {
    const text = `${model.id} ${model.name} ${model.family} ${model.aliases.join(' ')}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (provider === undefined || model.providers.some(({ providerId }) => providerId === provider)) &&
      (can === undefined || HAS[can](model)) &&
      isWithin(model.pricing.prompt, input) &&
      isWithin(model.pricing.completion, output) &&
      model.context_length >= context &&
      (ended || endOf(model) === undefined)
    );
  };
  const byName = (a: Model, b: Model): number => a.id.localeCompare(b.id);
  const chosen = models.filter(fits);
  if (sort === 'name') return chosen.sort(byName);
  if (sort === 'context') return chosen.sort((a, b) => b.context_length - a.context_length || byName(a, b));
  const amount = AMOUNTS[sort];
  return chosen.sort((a, b) => (amount(a) === amount(b) ? byName(a, b) : amount(a) - amount(b)));
}

/** When it was announced to end, if it was. */
export const endOf = ({ deactivated_at: off, deprecated_at: old }: Model): string | undefined => off ?? old;

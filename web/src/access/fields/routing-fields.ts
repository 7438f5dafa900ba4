import { type Field, type ListedField, fieldsOf } from './field.ts';

const NONE = 'as the gateway does';

const ROUTING = [
  {
    name: 'routing.fallback_models',
    label: 'Fallback models',
    none: 'none',
    help: 'Models that answer if no provider of the requested one does, in this order',
    suggests: 'models',
    effect: (value) =>
      value === ''
        ? 'A request fails if no provider of its model answers.'
        : `If no provider of the requested model answers, ${value} does, at its own price.`,
  },
  {
    name: 'routing.order',
    label: 'Provider order',
    none: NONE,
    help: 'These are tried before others, in this order',
    suggests: 'providers',
  },
  {
    name: 'routing.only',
    label: 'Only providers',
    none: 'all',
    suggests: 'providers',
    effect: (value) => (value === '' ? undefined : `No provider but ${value} is called.`),
  },
  {
    name: 'routing.ignore',
    label: 'Ignored providers',
    none: 'none',
    suggests: 'providers',
    effect: (value) => (value === '' ? undefined : `${value} are not called.`),
  },
  {
    name: 'routing.allow_fallbacks',
    label: 'Fall back to other providers',
    none: NONE,
    effect: (value) => (value === 'false' ? 'Only the first provider is tried.' : undefined),
  },
  {
    name: 'routing.sort',
    label: 'Sort by',
    none: NONE,
  },
  {
    name: 'routing.weights',
    label: 'Provider weights',
    kind: 'weights',
    none: 'none',
    help: 'A share of requests for each, such as openai=2',
  },
  {
    name: 'routing.data_collection',
    label: 'Providers that may train on data',
    none: NONE,
    effect: (value) => (value === 'deny' ? 'Only providers known not to train are called.' : undefined),
  },
  {
    name: 'routing.zdr',
    label: 'Zero data retention only',
    none: NONE,
    effect: (value) => (value === 'true' ? 'Only providers known to retain nothing are called.' : undefined),
  },
  {
    name: 'routing.regions',
    label: 'Regions',
    none: 'all',
    help: 'Where data may be processed, such as eu',
    effect: (value) => (value === '' ? undefined : `Only providers known to process in ${value} are called.`),
  },
  {
    name: 'routing.max_price',
    label: 'Max price',
    kind: 'prices',
    none: 'any',
    help: 'USD per million tokens, per request and per image',
    effect: (value) => (value === '' ? undefined : 'More expensive offers are not used.'),
  },
  {
    name: 'routing.quantizations',
    label: 'Quantizations',
    none: 'any',
    help: 'Such as bf16 or fp8; unknown is what no offer states',
    effect: (value) => (value === '' ? undefined : `Only offers with weights in ${value} are used.`),
  },
] as const satisfies readonly (ListedField & { suggests?: keyof Suggestions })[];

/** What may be typed as the name of a model or a provider. */
export interface Suggestions {
  models: readonly string[];
  providers: readonly string[];
}

/** How providers are chosen, for a key or a project. */
export const routingFields = (suggestions: Suggestions): readonly Field[] =>
  fieldsOf(
    '/admin/v1/keys/{id}',
    ...ROUTING.map((field) => ({
      ...field,
      ...('suggests' in field && { suggestions: suggestions[field.suggests] }),
    })),
  );

import type { JsonObject } from '#base';
import type { ConfiguredPrice } from '#catalogue';
import { type TSchema, Type } from 'typebox';
import { createInvalid } from '../read-input.ts';
import { type FieldType, closed, orNull, toWireName } from '../resource/field-type.ts';
import { maybe, needed, resourceOf } from '../resource/resource.ts';
import { count, flag, number, shown, text, time, usd } from '../resource/types.ts';
import type { ByokTerms } from './byok.ts';
import { type CustomModelBook, type CustomModelRecord, createCustomModelBook } from './custom-model-book.ts';
import { listedOf, ofOrganization } from './provider-key-resource.ts';

interface Ports {
  directory: CustomModelBook;
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

const { define, operation } = resourceOf<Ports, CustomModelRecord>();

const MOST_TOKENS = 100_000_000;
const PRICE_PARTS = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const;
const NEEDED_PARTS: readonly string[] = ['input', 'output'];

const partSchema = (part: string): TSchema =>
  NEEDED_PARTS.includes(part) ? usd.input : Type.Optional(usd.input);

/** Prices in USD per million tokens; answers have them by the names of `sluice.yaml`. */
const price: FieldType<ConfiguredPrice> = {
  typed: 'price',
  input: closed(Object.fromEntries(PRICE_PARTS.map((part) => [toWireName(part), partSchema(part)]))),
  answer: Type.Record(Type.String(), Type.String()),
  decode: (json) => {
    const given = json as JsonObject;
    const parts = PRICE_PARTS.map((part) => [part, given[toWireName(part)]] as const);
    return Object.fromEntries(parts.filter(([, value]) => value !== undefined)) as unknown as ConfiguredPrice;
  },
  encode: (value) => ({ ...value }),
};

const tokens = (what: string) => count({ least: 1, expected: `a whole number of tokens: ${what}` });
const typedTokens = (what: string) => ({ ...tokens(what), most: MOST_TOKENS });

const create = operation({
  summary: 'Add a model to a custom provider, with its price in USD per million tokens.',
  answer: 'The model.',
  kind: 'one',
  input: {
    organizationId: ofOrganization,
    provider: needed(text('the name of a custom provider of the organization')),
    name: needed(text('the name it is called by, after its provider’s'), {
      as: '<provider/model>',
      help: 'the name it is called by',
    }),
    externalId: maybe(text('the provider’s name for it'), {
      as: '--external-id <name>',
      help: 'the provider’s own name for it (default: the model’s)',
    }),
    contextLength: needed(typedTokens('its context window'), {
      as: '--context <tokens>',
      help: 'its context window',
    }),
    maxOutput: needed(typedTokens('its longest response'), {
      as: '--max-output <tokens>',
      help: 'the longest response',
    }),
    price: maybe(price),
    reasoning: maybe(flag('true if it is a reasoning model'), {
      as: '--reasoning',
      help: 'it is a reasoning model',
    }),
    vision: maybe(flag('false if it accepts no images'), { as: '--no-vision', help: 'it accepts no images' }),
    tools: maybe(flag('false if it accepts no tools'), { as: '--no-tools', help: 'it accepts no tools' }),
  },
  example: {
    organization_id: 'org_…',
    provider: 'acme',
    name: 'large',
    context_length: 200_000,
    max_output: 32_000,
    price: { input: '3', output: '15' },
  },
  run: async ({ directory, input: { organizationId, provider, ...model }, byokTerms }) => {
    const { price: given } = model;
    if (given && NEEDED_PARTS.some((part) => !Object.hasOwn(given, part)))
      throw createInvalid('price', 'given with both input and output (--price-input, --price-output)');
    return directory.addCustomModel({ organizationId, provider, model }, await byokTerms());
  },
});

export const customModelResource = define({
  name: 'custom_model',
  path: 'custom_models',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getCustomModel(id),
  book: createCustomModelBook,
  fields: {
    organizationId: shown(),
    provider: shown(),
    name: shown('Called as provider/name.'),
    externalId: shown(),
    contextLength: number(),
    maxOutput: number(),
    price: orNull(price),
    reasoning: orNull(flag(''), 'Null if it was not specified; so are `vision` and `tools`.'),
    vision: orNull(flag('')),
    tools: orNull(flag('')),
    createdAt: time,
  },
  operations: {
    create,
    list: operation({
      summary: 'List custom models, oldest first.',
      answer: 'A page of custom models.',
      kind: 'page',
      input: { organizationId: listedOf },
      run: ({ directory, input, page }) => directory.listCustomModels({ ...input, ...page }),
    }),
    remove: operation({
      summary: 'Remove a custom model.',
      answer: 'The model is removed.',
      kind: 'gone',
      input: {},
      run: async ({ directory, id }) => directory.removeCustomModel(await directory.getCustomModel(id)),
    }),
  },
  commands: {
    group: 'custom-models',
    summary: 'Models of custom providers, visible only to their organization.',
    naming: {
      as: '<provider/model>',
      help: 'the name it is called by',
      is: (model, named) => nameOf(model).toLowerCase() === named.toLowerCase(),
    },
    empty: 'no custom models',
    columns: {
      organization: 'organizationId',
      model: nameOf,
      'at the provider': 'externalId',
      context: 'contextLength',
      output: 'maxOutput',
      'usd in / out per million': ({ price: known }) => (known ? `${known.input} / ${known.output}` : 'none'),
    },
    commands: [
      {
        name: 'add',
        does: 'create',
        summary: 'Add a model to a custom provider. It can be called at once.',
        examples: [
          'custom-models add --org org_… acme/large --context 200000 --max-output 32000 --price-input 3 --price-output 15',
        ],
        prepare: splitName,
        says: (model) => [`${nameOf(model)} can be called by ${model.organizationId}`],
      },
      {
        name: 'list',
        does: 'list',
        summary: 'List custom models.',
        examples: ['custom-models list', 'custom-models list --org org_…'],
      },
      {
        name: 'remove',
        does: 'remove',
        summary: 'Remove a custom model.',
        examples: ['custom-models remove --org org_… acme/large'],
        says: (model) => [`removed: ${nameOf(model)}`],
      },
    ],
  },
});

function nameOf({ provider, name }: CustomModelRecord): string {
  return `${provider}/${name}`;
}

/** `acme/large` as its provider and its name. */
function splitName(given: { [name: string]: unknown }): { [name: string]: unknown } {
  const name = String(given['name']);
  const slash = name.indexOf('/');
  if (slash < 1) throw new Error('write it as provider/model, such as acme/large');
  return { ...given, provider: name.slice(0, slash), name: name.slice(slash + 1) };
}

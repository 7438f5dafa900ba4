import {
  closedObject,
  count,
  flag,
  nullableOutput,
  number,
  optional,
  outputText,
  readDecimal,
  required,
  text,
  time,
  type FieldType,
  type WrittenDecimal,
  usd,
} from '#fields';
import { createInvalid } from '#errors';
import { type JsonObject, toSnakeCase } from '#base';
import { type ConfiguredPrice, TOKEN_PRICES } from '#catalogue';
import { type TSchema, Type } from 'typebox';
import { ofOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import type { ByokTerms } from './byok.ts';
import {
  type CustomModelStore,
  type CustomModelRecord,
  createCustomModelStore,
} from './custom-model-store.ts';
import { listedOf } from './provider-key-resource.ts';

interface Ports {
  directory: CustomModelStore;
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

const { define, operation } = resourceOf<Ports, CustomModelRecord>();

const MOST_TOKENS = 100_000_000;
const NEEDED_PARTS: readonly string[] = ['input', 'output'];

const partSchema = (part: string): TSchema =>
  NEEDED_PARTS.includes(part) ? usd.input : Type.Optional(usd.input);

/** Prices in USD per million tokens; responses use the names of `sluice.yaml`. */
const price: FieldType<ConfiguredPrice> = {
  valueKind: 'price',
  input: closedObject(Object.fromEntries(TOKEN_PRICES.map((part) => [toSnakeCase(part), partSchema(part)]))),
  answer: Type.Record(Type.String(), Type.String()),
  decode: (json, param) => {
    const given = json as JsonObject;
    const parts = TOKEN_PRICES.flatMap((part) => {
      const name = toSnakeCase(part);
      const written = given[name] as WrittenDecimal | undefined;
      return written === undefined ? [] : [[part, readDecimal(written, `${param}.${name}`)] as const];
    });
    return Object.fromEntries(parts) as unknown as ConfiguredPrice;
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
    provider: required(text('the name of a custom provider of the organization')),
    name: required(text('its name, without the provider’s'), {
      flags: '<provider/model>',
      help: 'its name in requests',
    }),
    externalId: optional(text('the name that the provider uses'), {
      flags: '--external-id <name>',
      help: 'the name that the provider uses (default: the same)',
    }),
    contextLength: required(typedTokens('its context window'), {
      flags: '--context <tokens>',
      help: 'its context window',
    }),
    maxOutput: required(typedTokens('the longest response'), {
      flags: '--max-output <tokens>',
      help: 'the longest response',
    }),
    price: optional(price),
    reasoning: optional(flag('true if it is a reasoning model'), {
      flags: '--reasoning',
      help: 'it is a reasoning model',
    }),
    vision: optional(flag('false if it accepts no images'), {
      flags: '--no-vision',
      help: 'it accepts no images',
    }),
    tools: optional(flag('false if it accepts no tools'), {
      flags: '--no-tools',
      help: 'it accepts no tools',
    }),
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
  store: createCustomModelStore,
  fields: {
    organizationId: outputText(),
    provider: outputText(),
    name: outputText('Called as provider/name.'),
    externalId: outputText(),
    contextLength: number(),
    maxOutput: number(),
    price: nullableOutput(price),
    reasoning: nullableOutput(flag(''), 'Null if not specified, like `vision` and `tools`.'),
    vision: nullableOutput(flag('')),
    tools: nullableOutput(flag('')),
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
      kind: 'deleted',
      run: async ({ directory, id }) => directory.removeCustomModel(await directory.getCustomModel(id)),
    }),
  },
  commands: {
    group: 'custom-models',
    summary: 'Models of custom providers, visible only to their organization.',
    target: {
      flags: '<provider/model>',
      help: 'its name in requests',
      matches: (model, named) => nameOf(model).toLowerCase() === named.toLowerCase(),
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
        operation: 'create',
        summary: 'Add a model to a custom provider. It can be called at once.',
        examples: [
          'custom-models add --org org_… acme/large --context 200000 --max-output 32000 --price-input 3 --price-output 15',
        ],
        prepare: splitName,
        format: (model) => [`${nameOf(model)} can be called by ${model.organizationId}`],
      },
      {
        name: 'list',
        operation: 'list',
        summary: 'List custom models.',
        examples: ['custom-models list', 'custom-models list --org org_…'],
      },
      {
        name: 'remove',
        operation: 'remove',
        summary: 'Remove a custom model.',
        examples: ['custom-models remove --org org_… acme/large'],
        format: (model) => [`removed: ${nameOf(model)}`],
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

import type { Command } from 'commander';
import type { CustomModelRecord, NewCustomModel } from '#app';
import { loadByokTerms } from '#app';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import type { OrganizationOptions } from './provider-keys.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { formatTable } from '../terminal/table.ts';
import { getOrganizationId, withStores } from '../terminal/with-stores.ts';

export function createCustomModelsCommand(): Command {
  return defineGroup('custom-models', 'Models of custom providers, seen by nobody but their organization.', [
    createAdd(),
    createList(),
    createRemove(),
  ]);
}

const MOST_TOKENS = 100_000_000;
const PRICES = {
  priceInput: 'input',
  priceOutput: 'output',
  priceCacheRead: 'cacheRead',
  priceCacheWrite: 'cacheWrite5m',
  priceCacheWrite1h: 'cacheWrite1h',
} as const;

type PriceOptions = Partial<Record<keyof typeof PRICES, string>>;

interface AddOptions extends OrganizationOptions, PriceOptions {
  context: number;
  maxOutput: number;
  externalId?: string;
  reasoning?: boolean;
  vision: boolean;
  tools: boolean;
}

function createAdd(): Command {
  return defineCommand({
    name: 'add',
    summary: 'Add a model of a custom provider; it is called by this name at once.',
    examples: [
      'custom-models add --org org_… acme/large --context 200000 --max-output 32000 --price-input 3 --price-output 15',
    ],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .requiredOption('--context <tokens>', 'its context window', readWhole(1, MOST_TOKENS))
    .requiredOption('--max-output <tokens>', 'the longest answer', readWhole(1, MOST_TOKENS))
    .option('--price-input <usd>', 'USD per million input tokens, such as 3 or 0.25')
    .option('--price-output <usd>', 'USD per million output tokens')
    .option('--price-cache-read <usd>', 'USD per million tokens read from a cache (default: as input)')
    .option(
      '--price-cache-write <usd>',
      'USD per million tokens written to a cache for 5 minutes (default: as input)',
    )
    .option('--price-cache-write-1h <usd>', 'the same for an hour (default: as for 5 minutes)')
    .option('--external-id <name>', 'the provider’s own name for it (default: the model’s)')
    .option('--reasoning', 'it reasons')
    .option('--no-vision', 'it takes no images')
    .option('--no-tools', 'it takes no tools')
    .argument('<provider/model>', 'the name it is called by')
    .action(async (name: string, options: AddOptions) => {
      const terms = await loadByokTerms(toOrigin(options));
      const { provider, model } = splitName(name);
      const record = await withStores(options, async (stores) => {
        const organizationId = await getOrganizationId(stores, options.org);
        const input = { organizationId, provider, model: toModel(model, options) };
        return stores.accounts.directory.addCustomModel(input, terms);
      });
      print(options, toJson(record), () => [`${nameOf(record)} can be called by ${record.organizationId}`]);
    });
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List custom models.',
    examples: ['custom-models list', 'custom-models list --org org_…'],
  })
    .option('--org <id>', 'only those of this organization')
    .action(async ({ org, ...options }: OrganizationOptions) => {
      const records = await withStores(options, ({ accounts }) =>
        accounts.directory.listCustomModels(org === undefined ? {} : { organizationId: org }),
      );
      print(options, { data: records.map(toJson) }, () => formatModels(records));
    });
}

function createRemove(): Command {
  return defineCommand({
    name: 'remove',
    summary: 'Remove a custom model.',
    examples: ['custom-models remove --org org_… acme/large'],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .argument('<provider/model>', 'the name it is called by')
    .action(async (name: string, options: CommonOptions & OrganizationOptions) => {
      const record = await withStores(options, async (stores) => {
        const organizationId = await getOrganizationId(stores, options.org);
        return stores.accounts.directory.removeCustomModel({ organizationId, ...splitName(name) });
      });
      print(options, { ...toJson(record), removed: true }, () => [`removed: ${nameOf(record)}`]);
    });
}

function splitName(name: string): { provider: string; model: string } {
  const slash = name.indexOf('/');
  if (slash < 1) throw new Error('write it as provider/model, such as acme/large');
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

function toModel(name: string, options: AddOptions): NewCustomModel {
  const { context: contextLength, maxOutput, externalId, reasoning, vision, tools } = options;
  const price = toPrice(options);
  return {
    name,
    contextLength,
    maxOutput,
    ...(externalId !== undefined && { externalId }),
    ...(price && { price }),
    ...(reasoning !== undefined && { reasoning }),
    ...(!vision && { vision }),
    ...(!tools && { tools }),
  };
}

function toPrice(options: AddOptions): NewCustomModel['price'] {
  const given = Object.entries(PRICES).flatMap(([option, part]) => {
    const amount = options[option as keyof typeof PRICES];
    return amount === undefined ? [] : [[part, amount] as const];
  });
  if (given.length === 0) return undefined;
  const { input, output, ...rest }: PriceParts = Object.fromEntries(given);
  if (input === undefined || output === undefined)
    throw new Error('a price needs both --price-input and --price-output');
  return { input, output, ...rest };
}

type PriceParts = Partial<Record<(typeof PRICES)[keyof typeof PRICES], string>>;

function nameOf({ provider, name }: CustomModelRecord): string {
  return `${provider}/${name}`;
}

function toJson({ createdAt, provider, name, ...record }: CustomModelRecord) {
  return { ...record, name: `${provider}/${name}`, createdAt: new Date(createdAt).toISOString() };
}

function formatModels(records: readonly CustomModelRecord[]): string[] {
  if (records.length === 0) return ['no custom models'];
  return formatTable(
    ['organization', 'model', 'at the provider', 'context', 'output', 'usd in / out per million'],
    records.map((record) => [
      record.organizationId,
      nameOf(record),
      record.externalId,
      String(record.contextLength),
      String(record.maxOutput),
      record.price ? `${record.price.input} / ${record.price.output}` : 'none',
    ]),
  );
}

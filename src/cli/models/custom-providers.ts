import type { Command } from 'commander';
import type { CustomProviderRecord } from '#app';
import { CUSTOM_FORMATS, loadByokTerms, readSecretInput } from '#app';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { DEFAULT_VARIABLE, type KeyOptions, addKeyOptions, getKey } from '../terminal/key-input.ts';
import { print } from '../terminal/output.ts';
import { type OrganizationOptions, type TestOptions, testOwn } from './provider-keys.ts';
import { formatTable, formatTime } from '../terminal/table.ts';
import { getOrganizationId, withStores } from '../terminal/with-stores.ts';

export function createCustomProvidersCommand(): Command {
  return defineGroup('custom-providers', 'Providers that organizations bring along, seen by nobody else.', [
    createAdd(),
    createUpdate(),
    createList(),
    createTest(),
    createRemove(),
  ]);
}

interface AddOptions extends OrganizationOptions, KeyOptions {
  format: string;
  baseUrl: string;
}

function createAdd(): Command {
  const command = defineCommand({
    name: 'add',
    summary: 'Add a provider of an organization’s own; then add its models (custom-models add).',
    examples: [
      'custom-providers add --org org_… acme --format chat --base-url https://llm.example.com/v1 --key-stdin',
    ],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .requiredOption('--format <format>', `what it speaks: ${CUSTOM_FORMATS.join(', ')}`)
    .requiredOption('--base-url <url>', 'a public https address, such as https://llm.example.com/v1')
    .argument('<name>', 'its models are called as name/model');
  return addKeyOptions(command, DEFAULT_VARIABLE).action(async (name: string, options: AddOptions) => {
    const apiKey = await getKey(options);
    const terms = await loadByokTerms(toOrigin(options));
    const { format, baseUrl } = options;
    const record = await withStores(options, async (stores) => {
      const organizationId = await getOrganizationId(stores, options.org);
      const input = { organizationId, name, format, baseUrl, apiKey };
      return stores.accounts.directory.addCustomProvider(input, terms);
    });
    print(options, toJson(record), () => [
      `${describe(record)}; next: npx sluice custom-models add --org ${record.organizationId} ${name}/MODEL --help`,
    ]);
  });
}

interface UpdateOptions extends OrganizationOptions, KeyOptions {
  baseUrl?: string;
}

function createUpdate(): Command {
  const command = defineCommand({
    name: 'update',
    summary: 'Give a custom provider another key, or another address with the key entered again.',
    examples: [
      'custom-providers update --org org_… acme --key-stdin',
      'custom-providers update --org org_… acme --base-url https://eu.example.com/v1 --key-env ACME_KEY',
    ],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .option('--base-url <url>', 'the new address')
    .argument('<name>', 'the provider');
  return addKeyOptions(command).action(async (name: string, options: UpdateOptions) => {
    const isGiven = options.keyStdin === true || options.keyEnv !== undefined;
    const apiKey = isGiven ? await readSecretInput(options) : undefined;
    const terms = await loadByokTerms(toOrigin(options));
    const { baseUrl } = options;
    const record = await withStores(options, async (stores) => {
      const organizationId = await getOrganizationId(stores, options.org);
      const change = { ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }) };
      return stores.accounts.directory.changeCustomProvider({ organizationId, name, ...change }, terms);
    });
    print(options, toJson(record), () => [describe(record)]);
  });
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List custom providers.',
    examples: ['custom-providers list', 'custom-providers list --org org_…'],
  })
    .option('--org <id>', 'only those of this organization')
    .action(async ({ org, ...options }: OrganizationOptions) => {
      const records = await withStores(options, ({ accounts }) =>
        accounts.directory.listCustomProviders(org === undefined ? {} : { organizationId: org }),
      );
      print(options, { data: records.map(toJson) }, () => formatProviders(records));
    });
}

function createTest(): Command {
  return defineCommand({
    name: 'test',
    summary: 'Send the smallest request to a custom provider (a few tokens). Exit code 1 where it fails.',
    examples: [
      'custom-providers test --org org_… acme',
      'custom-providers test --org org_… acme --model large',
    ],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .option('--model <name>', 'the model to ask (default: the cheapest)')
    .argument('<name>', 'the provider')
    .action((name: string, options: TestOptions) => testOwn(name, options));
}

function createRemove(): Command {
  return defineCommand({
    name: 'remove',
    summary: 'Remove a custom provider with its key and its models.',
    examples: ['custom-providers remove --org org_… acme'],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .argument('<name>', 'the provider')
    .action(async (name: string, options: CommonOptions & OrganizationOptions) => {
      const record = await withStores(options, async (stores) => {
        const organizationId = await getOrganizationId(stores, options.org);
        return stores.accounts.directory.removeCustomProvider({ organizationId, name });
      });
      print(options, { ...toJson(record), removed: true }, () => [`removed: ${describe(record)}`]);
    });
}

function describe({ organizationId, name, format, baseUrl, masked }: CustomProviderRecord): string {
  return `${name} of ${organizationId}: ${format} at ${baseUrl} with the key ${masked}`;
}

function toJson({ createdAt, ...record }: CustomProviderRecord) {
  return { ...record, createdAt: new Date(createdAt).toISOString() };
}

function formatProviders(records: readonly CustomProviderRecord[]): string[] {
  if (records.length === 0) return ['no custom providers'];
  return formatTable(
    ['organization', 'name', 'format', 'address', 'key', 'models', 'since', ''],
    records.map((record) => [
      record.organizationId,
      record.name,
      record.format,
      record.baseUrl,
      record.masked,
      String(record.models),
      formatTime(record.createdAt),
      record.readable ? '' : 'key cannot be opened: update it',
    ]),
  );
}

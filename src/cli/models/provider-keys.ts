import type { Command } from 'commander';
import type { ProviderKeyRecord } from '#app';
import { loadSettings, loadByokTerms, testOwnProvider } from '#app';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { DEFAULT_VARIABLE, type KeyOptions, addKeyOptions, getKey } from '../terminal/key-input.ts';
import { print } from '../terminal/output.ts';
import { formatTests } from './providers.ts';
import { formatTable, formatTime } from '../terminal/table.ts';
import { getOrganizationId, withStores } from '../terminal/with-stores.ts';

export interface OrganizationOptions extends CommonOptions {
  org?: string;
}

export interface TestOptions extends OrganizationOptions {
  model?: string;
}

export function createProviderKeysCommand(): Command {
  return defineGroup('provider-keys', 'Keys that organizations bring for providers of the catalogue.', [
    createSet(),
    createList(),
    createTest(),
    createRemove(),
  ]);
}

function createSet(): Command {
  const command = defineCommand({
    name: 'set',
    summary:
      'Give an organization its own key for a provider: the provider bills it directly, the gateway charges 0.',
    examples: [
      'provider-keys set openai --key-env OPENAI_API_KEY',
      'provider-keys set --org org_… anthropic --key-stdin',
    ],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .argument('<provider>', 'a provider of this gateway, configured or not');
  return addKeyOptions(command, DEFAULT_VARIABLE).action(
    async (providerId: string, options: OrganizationOptions & KeyOptions) => {
      const apiKey = await getKey(options);
      const terms = await loadByokTerms(toOrigin(options));
      const record = await withStores(options, async (stores) => {
        const organizationId = await getOrganizationId(stores, options.org);
        return stores.accounts.directory.setProviderKey({ organizationId, providerId, apiKey }, terms);
      });
      print(options, toJson(record), () => [
        `${record.organizationId} uses its own key ${record.masked} at ${record.origin} for ${providerId}`,
      ]);
    },
  );
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List the keys that organizations brought.',
    examples: ['provider-keys list', 'provider-keys list --org org_…'],
  })
    .option('--org <id>', 'only those of this organization')
    .action(async ({ org, ...options }: OrganizationOptions) => {
      const records = await withStores(options, ({ accounts }) =>
        accounts.directory.listProviderKeys(org === undefined ? {} : { organizationId: org }),
      );
      print(options, { data: records.map(toJson) }, () => formatKeys(records));
    });
}

function createTest(): Command {
  return defineCommand({
    name: 'test',
    summary:
      'Send the smallest request with an organization’s own key (a few tokens). Exit code 1 where it fails.',
    examples: ['provider-keys test --org org_… openai --model gpt-5-mini'],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .option('--model <name>', 'the model to ask (default: the cheapest)')
    .argument('<provider>', 'the provider the key is for')
    .action((providerId: string, options: TestOptions) => testOwn(providerId, options));
}

function createRemove(): Command {
  return defineCommand({
    name: 'remove',
    summary: 'Forget an organization’s own key; its requests use the gateway’s again, where it has one.',
    examples: ['provider-keys remove --org org_… openai'],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .argument('<provider>', 'the provider the key is for')
    .action(async (providerId: string, options: OrganizationOptions) => {
      const record = await withStores(options, async (stores) => {
        const organizationId = await getOrganizationId(stores, options.org);
        return stores.accounts.directory.removeProviderKey({ organizationId, providerId });
      });
      print(options, { ...toJson(record), removed: true }, () => [
        `removed: the key of ${record.organizationId} for ${providerId}`,
      ]);
    });
}

/** Tries an organization's own key or provider. */
export async function testOwn(providerId: string, options: TestOptions): Promise<void> {
  const { org, model } = options;
  const settings = await loadSettings(toOrigin(options));
  const result = await withStores(options, async (stores) => {
    const organizationId = await getOrganizationId(stores, org);
    const wanted = { organizationId, providerId, ...(model !== undefined && { model }) };
    return testOwnProvider(settings, stores, wanted);
  });
  if (!result.ok) process.exitCode = 1;
  print(options, { data: [result] }, () => formatTests([result]));
}

function toJson({ createdAt, ...record }: ProviderKeyRecord) {
  return { ...record, createdAt: new Date(createdAt).toISOString() };
}

function formatKeys(records: readonly ProviderKeyRecord[]): string[] {
  if (records.length === 0) return ['no keys'];
  return formatTable(
    ['organization', 'provider', 'key', 'sent to', 'since', ''],
    records.map(({ organizationId, providerId, masked, origin, createdAt, readable }) => [
      organizationId,
      providerId,
      masked,
      origin,
      formatTime(createdAt),
      readable ? '' : 'cannot be opened: set it again',
    ]),
  );
}

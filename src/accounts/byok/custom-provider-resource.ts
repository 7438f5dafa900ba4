import { choice, number, optional, outputText, required, text, time } from '#fields';
import { CUSTOM_FORMATS } from '#catalogue';
import { ofOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { secret } from '../resource/types.ts';
import type { ByokTerms } from './byok.ts';
import {
  type CustomProviderStore,
  type CustomProviderRecord,
  createCustomProviderStore,
} from './custom-provider-store.ts';
import { SEALED_FIELDS, listedOf, newSecret } from './provider-key-resource.ts';

interface Ports {
  directory: CustomProviderStore;
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

const { define, operation } = resourceOf<Ports, CustomProviderRecord>();

const create = operation({
  summary: 'Add a custom provider to an organization. Its address must be public.',
  answer: 'The provider.',
  kind: 'one',
  input: {
    organizationId: ofOrganization,
    name: required(text('a name such as acme; its models are called as acme/model'), {
      flags: '<name>',
      help: 'its models are called as name/model',
    }),
    format: required(choice(CUSTOM_FORMATS), { flags: '--format <format>', help: 'its wire format' }),
    baseUrl: required(text('an https address such as https://llm.example.com/v1'), {
      flags: '--base-url <url>',
      help: 'a public https address, such as https://llm.example.com/v1',
    }),
    apiKey: newSecret,
  },
  example: {
    organization_id: 'org_…',
    name: 'acme',
    format: 'chat',
    base_url: 'https://8.8.8.8/v1',
    api_key: 'sk-0123456789',
  },
  run: async ({ directory, input, byokTerms }) => directory.addCustomProvider(input, await byokTerms()),
});

const update = operation({
  summary: 'Change the key of a custom provider, or its address together with the key.',
  answer: 'The updated provider.',
  kind: 'one',
  input: {
    baseUrl: optional(text('an https address; the key is required again'), {
      flags: '--base-url <url>',
      help: 'the new address',
    }),
    apiKey: optional(secret('the new key')),
  },
  example: { api_key: 'sk-9876543210' },
  run: async ({ directory, id, input, byokTerms }) => {
    const { organizationId } = await directory.getCustomProvider(id);
    return directory.changeCustomProvider({ organizationId, id, ...input }, await byokTerms());
  },
});

export const customProviderResource = define({
  name: 'custom_provider',
  path: 'custom_providers',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getCustomProvider(id),
  store: createCustomProviderStore,
  fields: {
    organizationId: outputText(),
    name: outputText(),
    format: choice(CUSTOM_FORMATS),
    baseUrl: outputText(),
    ...SEALED_FIELDS,
    models: number('How many models it has.'),
    createdAt: time,
  },
  operations: {
    create,
    list: operation({
      summary: 'List custom providers, oldest first.',
      answer: 'A page of custom providers.',
      kind: 'page',
      input: { organizationId: listedOf },
      run: ({ directory, input, page }) => directory.listCustomProviders({ ...input, ...page }),
    }),
    update,
    remove: operation({
      summary: 'Remove a custom provider and its models.',
      answer: 'The provider is removed.',
      kind: 'deleted',
      run: async ({ directory, id }) => directory.removeCustomProvider(await directory.getCustomProvider(id)),
    }),
  },
  commands: {
    group: 'custom-providers',
    summary: 'Custom providers, visible only to their organization.',
    target: { flags: '<name>', help: 'the provider', matches: ({ name }, named) => name === named },
    empty: 'no custom providers',
    columns: {
      organization: 'organizationId',
      name: 'name',
      format: 'format',
      address: 'baseUrl',
      key: 'masked',
      models: 'models',
      since: 'createdAt',
      '': ({ readable }) => (readable ? '' : 'the key cannot be decrypted; update it'),
    },
    commands: [
      {
        name: 'add',
        operation: 'create',
        summary: 'Add a custom provider to an organization; then add its models (custom-models add).',
        examples: [
          'custom-providers add --org org_… acme --format chat --base-url https://llm.example.com/v1 --key-stdin',
        ],
        format: (provider) => [
          `${describe(provider)}; next: npx sluice custom-models add --org ${provider.organizationId} ${provider.name}/MODEL --help`,
        ],
      },
      {
        name: 'update',
        operation: 'update',
        summary: 'Change the key of a custom provider, or its address together with the key.',
        examples: [
          'custom-providers update --org org_… acme --key-stdin',
          'custom-providers update --org org_… acme --base-url https://eu.example.com/v1 --key-env ACME_KEY',
        ],
        format: (provider) => [describe(provider)],
      },
      {
        name: 'list',
        operation: 'list',
        summary: 'List custom providers.',
        examples: ['custom-providers list', 'custom-providers list --org org_…'],
      },
      {
        name: 'remove',
        operation: 'remove',
        summary: 'Remove a custom provider with its key and its models.',
        examples: ['custom-providers remove --org org_… acme'],
        format: (provider) => [`removed: ${describe(provider)}`],
      },
    ],
  },
});

function describe({ organizationId, name, format, baseUrl, masked }: CustomProviderRecord): string {
  return `${name} of ${organizationId}: ${format} at ${baseUrl} with the key ${masked}`;
}

import { getListed } from '../read-input.ts';
import { named } from '../resource/field-type.ts';
import { filter, needed, resourceOf } from '../resource/resource.ts';
import { flag, idOf, secret, shown, text, time } from '../resource/types.ts';
import type { ByokTerms } from './byok.ts';
import type { ProviderKeyBook, ProviderKeyRecord } from './provider-key-book.ts';

interface Ports {
  directory: ProviderKeyBook;
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

const { define, operation } = resourceOf<Ports, ProviderKeyRecord>();

/** What a stored credential shows of itself. */
export const SEALED_FIELDS = {
  masked: shown('`…abcd`'),
  readable: flag('', 'Whether it can be used: a record that was tampered with cannot.'),
};

/** The organization whose own something is; on a command line the first unless named. */
export const ofOrganization = needed(idOf('organization', 'the organization'), {
  as: '--org <id>',
  help: 'the organization (default: the first)',
  first: 'organization',
});

export const listedOf = filter(idOf('organization', ''), 'Only those of this organization.', {
  as: '--org <id>',
  help: 'only those of this organization',
});

export const newSecret = needed(secret('the key; it is sealed, and never shown again'));

export const providerKeyResource = define({
  name: 'provider_key',
  path: 'provider_keys',
  scope: 'accounts',
  fields: {
    organizationId: shown(),
    providerId: named('provider', shown()),
    origin: shown('Where it is sent, and nowhere else.'),
    ...SEALED_FIELDS,
    createdAt: time,
  },
  operations: {
    create: operation({
      summary:
        'Keep a key of an organization’s own for a provider of the catalogue, in place of an earlier one.',
      answer: 'The key, never with its text.',
      kind: 'one',
      input: {
        organizationId: ofOrganization,
        providerId: needed(named('provider', text('the id of a provider, such as openai')), {
          as: '<provider>',
          help: 'a provider of this gateway, configured or not',
        }),
        apiKey: newSecret,
      },
      run: async ({ directory, input, byokTerms }) => directory.setProviderKey(input, await byokTerms()),
    }),
    list: operation({
      summary: 'List the provider keys that organizations brought, never with their text.',
      answer: 'All of them.',
      kind: 'list',
      input: { organizationId: listedOf },
      run: ({ directory, input }) => directory.listProviderKeys(input),
    }),
    remove: operation({
      summary: 'Remove a provider key.',
      answer: 'It is gone.',
      kind: 'gone',
      input: {},
      run: async ({ directory, id }) =>
        directory.removeProviderKey(getListed('provider key', await directory.listProviderKeys({}), id)),
    }),
  },
  commands: {
    group: 'provider-keys',
    summary: 'Keys that organizations bring for providers of the catalogue.',
    naming: {
      as: '<provider>',
      help: 'the provider the key is for',
      is: ({ providerId }, provider) => providerId === provider,
    },
    empty: 'no keys',
    columns: {
      organization: 'organizationId',
      provider: 'providerId',
      key: 'masked',
      'sent to': 'origin',
      since: 'createdAt',
      '': ({ readable }) => (readable ? '' : 'cannot be opened: set it again'),
    },
    commands: [
      {
        name: 'set',
        does: 'create',
        summary:
          'Give an organization its own key for a provider: the provider bills it directly, the gateway charges 0.',
        examples: [
          'provider-keys set openai --key-env OPENAI_API_KEY',
          'provider-keys set --org org_… anthropic --key-stdin',
        ],
        says: ({ organizationId, masked, origin, providerId }) => [
          `${organizationId} uses its own key ${masked} at ${origin} for ${providerId}`,
        ],
      },
      {
        name: 'list',
        does: 'list',
        summary: 'List the keys that organizations brought.',
        examples: ['provider-keys list', 'provider-keys list --org org_…'],
      },
      {
        name: 'remove',
        does: 'remove',
        summary: 'Forget an organization’s own key; its requests use the gateway’s again, where it has one.',
        examples: ['provider-keys remove --org org_… openai'],
        says: ({ organizationId, providerId }) => [`removed: the key of ${organizationId} for ${providerId}`],
      },
    ],
  },
});

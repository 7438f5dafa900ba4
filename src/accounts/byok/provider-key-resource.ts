import { flag, named, outputText, required, text, time } from '#fields';
import { inOrganization, ofOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { secret } from '../resource/types.ts';
import type { ByokTerms } from './byok.ts';
import {
  type ProviderKeyStore,
  type ProviderKeyRecord,
  createProviderKeyStore,
} from './provider-key-store.ts';

interface Ports {
  directory: ProviderKeyStore;
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

const { define, operation } = resourceOf<Ports, ProviderKeyRecord>();

/** The members of a stored credential. */
export const SEALED_FIELDS = {
  masked: outputText('`…abcd`'),
  readable: flag('', 'Whether it can be decrypted; a record that was tampered with cannot.'),
};

export const listedOf = inOrganization('Only of this organization.');

export const newSecret = required(secret('the key; it is stored encrypted and never shown again'));

export const providerKeyResource = define({
  name: 'provider_key',
  path: 'provider_keys',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getProviderKey(id),
  store: createProviderKeyStore,
  fields: {
    organizationId: outputText(),
    providerId: named('provider', outputText()),
    origin: outputText('The only origin that it is sent to.'),
    ...SEALED_FIELDS,
    createdAt: time,
  },
  operations: {
    create: operation({
      summary: "Store an organization's own key for a provider of the catalogue. It replaces an earlier one.",
      answer: 'The key, without its secret.',
      kind: 'one',
      input: {
        organizationId: ofOrganization,
        providerId: required(named('provider', text('the id of a provider, such as openai')), {
          flags: '<provider>',
          help: 'a provider of this gateway, configured or not',
        }),
        apiKey: newSecret,
      },
      example: { organization_id: 'org_…', provider: 'groq', api_key: 'gsk-0123456789' },
      run: async ({ directory, input, byokTerms }) => directory.setProviderKey(input, await byokTerms()),
    }),
    list: operation({
      summary: "List organizations' own provider keys, oldest first, without their secrets.",
      answer: 'A page of provider keys.',
      kind: 'page',
      input: { organizationId: listedOf },
      run: ({ directory, input, page }) => directory.listProviderKeys({ ...input, ...page }),
    }),
    remove: operation({
      summary: 'Remove a provider key.',
      answer: 'The key is removed.',
      kind: 'deleted',
      run: async ({ directory, id }) => directory.removeProviderKey(await directory.getProviderKey(id)),
    }),
  },
  commands: {
    group: 'provider-keys',
    summary: "Organizations' own keys for providers of the catalogue.",
    target: {
      flags: '<provider>',
      help: 'the provider the key is for',
      matches: ({ providerId }, provider) => providerId === provider,
    },
    empty: 'no keys',
    columns: {
      organization: 'organizationId',
      provider: 'providerId',
      key: 'masked',
      'sent to': 'origin',
      since: 'createdAt',
      '': ({ readable }) => (readable ? '' : 'cannot be decrypted; set it again'),
    },
    commands: [
      {
        name: 'set',
        operation: 'create',
        summary:
          "Store an organization's own key for a provider. The provider bills it directly; the gateway charges 0.",
        examples: [
          'provider-keys set openai --key-env OPENAI_API_KEY',
          'provider-keys set --org org_… anthropic --key-stdin',
        ],
        format: ({ organizationId, masked, origin, providerId }) => [
          `${organizationId} uses its own key ${masked} at ${origin} for ${providerId}`,
        ],
      },
      {
        name: 'list',
        operation: 'list',
        summary: "List organizations' own provider keys.",
        examples: ['provider-keys list', 'provider-keys list --org org_…'],
      },
      {
        name: 'remove',
        operation: 'remove',
        summary:
          "Remove an organization's own key. Its requests then use the gateway's key, if there is one.",
        examples: ['provider-keys remove --org org_… openai'],
        format: ({ organizationId, providerId }) => [
          `removed: the key of ${organizationId} for ${providerId}`,
        ],
      },
    ],
  },
});

import { ADMIN_CALLS } from './admin-calls.ts';
import type { IsolationLine } from './isolation-line.ts';
import type { IsolationCall } from './isolation.ts';
import { CANARY_WORDS, type OwnedNames, addRule } from './isolation-owner.ts';

/** The call that proves an admin endpoint, about the owner's things. */
function administers(route: string, differs: Partial<IsolationLine> = {}): [string, IsolationLine[]] {
  const call = (names: OwnedNames): IsolationCall => {
    const made = ADMIN_CALLS[route]?.(names);
    if (!made) throw new Error(`test/support/admin-calls.ts has no call of ${route}`);
    return { ...made, path: `/admin/v1${made.path}` };
  };
  return [route, [{ of: 'organization', call, ...differs }]];
}

/** A list is of what the admin key sees, and is empty where it asks for what is not its own. */
const LIST = { foreign: 200 } as const;
/** What is of all organizations together is for admin keys of the operator. */
const OF_ALL = { of: 'installation', foreign: 403 } as const;

const ELSEWHERE = { base_url: 'https://8.8.8.8/v1', api_key: 'sk-0123456789' };
let counted = 0;
const countUp = (word: string): string => `${word}-${(counted += 1)}`;

type Renewal = NonNullable<IsolationLine['renew']>;
type RenewalWorld = Parameters<Renewal>[0];

async function addKey({ gateway, names }: RenewalWorld): Promise<string> {
  const { projectId } = names;
  return (await gateway.accounts.directory.createKey({ projectId, label: CANARY_WORDS.label })).key.id;
}

const renewMember: Renewal = async ({ gateway, names: { organizationId } }) => {
  const member = { organizationId, name: CANARY_WORDS.user, role: 'member' } as const;
  return { memberId: (await gateway.accounts.directory.addMember(member)).id };
};

const renewProviderKey: Renewal = async ({ gateway, names: { organizationId } }) => {
  const key = { organizationId, providerId: 'mistral', apiKey: ELSEWHERE.api_key };
  return { providerKeyId: (await gateway.accounts.directory.setProviderKey(key, gateway.terms)).id };
};

const renewCustomProvider: Renewal = async ({ gateway, names: { organizationId } }) => {
  const provider = { organizationId, name: countUp('acme'), format: 'chat', baseUrl: ELSEWHERE.base_url };
  const made = { ...provider, apiKey: ELSEWHERE.api_key };
  return { customProviderId: (await gateway.accounts.directory.addCustomProvider(made, gateway.terms)).id };
};

const renewCustomModel: Renewal = async ({ gateway, names: { organizationId } }) => {
  const price = { input: '1', output: '1' };
  const model = { name: countUp('model'), contextLength: 1000, maxOutput: 100, price };
  const input = { organizationId, provider: CANARY_WORDS.provider, model };
  return { customModelId: (await gateway.accounts.directory.addCustomModel(input, gateway.terms)).id };
};

/** What each admin route is asked for. */
export const ADMIN_LINES = Object.fromEntries([
  administers('POST /admin/v1/organizations', OF_ALL),
  administers('GET /admin/v1/organizations', LIST),
  administers('GET /admin/v1/organizations/{id}'),
  administers('POST /admin/v1/organizations/{id}'),
  administers('GET /admin/v1/organizations/{id}/plan', { reports: false }),
  administers('POST /admin/v1/organizations/{id}/plan'),
  administers('POST /admin/v1/organizations/{id}/credits'),
  administers('POST /admin/v1/projects'),
  administers('GET /admin/v1/projects', LIST),
  administers('GET /admin/v1/projects/{id}'),
  administers('POST /admin/v1/projects/{id}'),
  administers('POST /admin/v1/keys'),
  administers('GET /admin/v1/keys', LIST),
  administers('GET /admin/v1/keys/{id}'),
  administers('POST /admin/v1/keys/{id}'),
  administers('POST /admin/v1/keys/{id}/rotate', {
    renew: async (world) => ({ keyId: await addKey(world) }),
  }),
  administers('DELETE /admin/v1/keys/{id}', { renew: async (world) => ({ keyId: await addKey(world) }) }),
  administers('POST /admin/v1/members'),
  administers('GET /admin/v1/members', LIST),
  administers('GET /admin/v1/members/{id}'),
  administers('POST /admin/v1/members/{id}'),
  administers('DELETE /admin/v1/members/{id}', { renew: renewMember }),
  administers('GET /admin/v1/session_tokens', { ...LIST, reports: false }),
  administers('DELETE /admin/v1/session_tokens/{id}', { reports: false }),
  administers('POST /admin/v1/provider_keys'),
  administers('GET /admin/v1/provider_keys', { ...LIST, reports: false }),
  administers('DELETE /admin/v1/provider_keys/{id}', { renew: renewProviderKey }),
  administers('POST /admin/v1/custom_providers', {
    call: ({ organizationId }) => ({
      path: '/admin/v1/custom_providers',
      body: { organization_id: organizationId, name: countUp('acme'), format: 'chat', ...ELSEWHERE },
    }),
  }),
  administers('GET /admin/v1/custom_providers', LIST),
  administers('POST /admin/v1/custom_providers/{id}'),
  administers('DELETE /admin/v1/custom_providers/{id}', { renew: renewCustomProvider }),
  administers('POST /admin/v1/custom_models', {
    call: ({ organizationId }) => ({
      path: '/admin/v1/custom_models',
      body: {
        organization_id: organizationId,
        provider: CANARY_WORDS.provider,
        name: countUp('model'),
        context_length: 1000,
        max_output: 100,
        price: { input: '1', output: '2' },
      },
    }),
  }),
  administers('GET /admin/v1/custom_models', LIST),
  administers('DELETE /admin/v1/custom_models/{id}', { renew: renewCustomModel }),
  administers('GET /admin/v1/usage', { ...LIST, reports: false }),
  administers('POST /admin/v1/rules'),
  administers('GET /admin/v1/rules', LIST),
  administers('DELETE /admin/v1/rules/{id}', {
    renew: async ({ gateway, names }) => ({ ruleId: await addRule(gateway, names.organizationId) }),
  }),
  administers('GET /admin/v1/logs', {
    ...LIST,
    call: ({ organizationId }) => ({ path: `/admin/v1/logs?organization_id=${organizationId}` }),
  }),
  administers('GET /admin/v1/logs/{id}'),
  administers('GET /admin/v1/ledger/check', OF_ALL),
  administers('POST /admin/v1/admin_keys', {
    call: ({ organizationId }) => ({
      path: '/admin/v1/admin_keys',
      body: { label: 'dashboard', organization_id: organizationId },
    }),
  }),
  administers('GET /admin/v1/admin_keys', LIST),
  administers('POST /admin/v1/admin_keys/{id}'),
  administers('GET /admin/v1/audit_logs', LIST),
]);

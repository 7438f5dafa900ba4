import type { JsonObject } from '#base';
import type { InProcessGateway, TestAccount } from './in-process.ts';

/** A request to an admin endpoint. */
export interface AdminCall {
  path: string;
  body?: JsonObject;
}

/** Ids an admin call can name: resources of one organization. */
export interface AdminSubjects extends TestAccount {
  ruleId: string;
  adminKeyId: string;
  memberId: string;
  sessionTokenId: string;
  providerKeyId: string;
  customProviderId: string;
  customModelId: string;
  requestId: string;
}

/** A working call for every admin endpoint, built anew each time. An endpoint without one fails the test. */
export const ADMIN_CALLS: Record<string, (of: AdminSubjects) => AdminCall> = {
  'POST /admin/v1/organizations': () => ({ path: '/organizations', body: { name: 'Acme' } }),
  'GET /admin/v1/organizations': () => ({ path: '/organizations?limit=100' }),
  'GET /admin/v1/organizations/{id}': (of) => ({ path: `/organizations/${of.organizationId}` }),
  'POST /admin/v1/organizations/{id}': (of) => ({
    path: `/organizations/${of.organizationId}`,
    body: { rate_limits: { concurrency: 500 } },
  }),
  'GET /admin/v1/organizations/{id}/plan': (of) => ({ path: `/organizations/${of.organizationId}/plan` }),
  'POST /admin/v1/organizations/{id}/plan': (of) => ({
    path: `/organizations/${of.organizationId}/plan`,
    body: { plan: 'pro', overflow: true },
  }),
  'POST /admin/v1/organizations/{id}/credits': (of) => ({
    path: `/organizations/${of.organizationId}/credits`,
    body: { amount: '12.50' },
  }),
  'POST /admin/v1/projects': (of) => ({
    path: '/projects',
    body: { organization_id: of.organizationId, name: 'web' },
  }),
  'GET /admin/v1/projects': (of) => ({ path: `/projects?organization_id=${of.organizationId}` }),
  'GET /admin/v1/projects/{id}': (of) => ({ path: `/projects/${of.projectId}` }),
  'POST /admin/v1/projects/{id}': (of) => ({
    path: `/projects/${of.projectId}`,
    body: { cache_ttl_seconds: 3600 },
  }),
  'POST /admin/v1/keys': (of) => ({
    path: '/keys',
    body: {
      project_id: of.projectId,
      label: 'ci',
      limit: '25',
      recurring_limit: { amount: '5', period: 'day' },
      rate_limits: { requests_per_minute: 60 },
      expires_at: '2099-01-01T00:00:00Z',
    },
  }),
  'GET /admin/v1/keys': (of) => ({ path: `/keys?organization_id=${of.organizationId}` }),
  'GET /admin/v1/keys/{id}': (of) => ({ path: `/keys/${of.keyId}` }),
  'POST /admin/v1/keys/{id}': (of) => ({
    path: `/keys/${of.keyId}`,
    body: { limit: '100', recurring_limit: null, rate_limits: { tokens_per_minute: 100_000 } },
  }),
  'POST /admin/v1/keys/{id}/rotate': (of) => ({
    path: `/keys/${of.keyId}/rotate`,
    body: { grace_seconds: 3600 },
  }),
  'DELETE /admin/v1/keys/{id}': (of) => ({ path: `/keys/${of.keyId}` }),
  'POST /admin/v1/members': (of) => ({
    path: '/members',
    body: { organization_id: of.organizationId, name: 'Ada', role: 'member', limit: '10' },
  }),
  'GET /admin/v1/members': (of) => ({ path: `/members?organization_id=${of.organizationId}` }),
  'GET /admin/v1/members/{id}': (of) => ({ path: `/members/${of.memberId}` }),
  'POST /admin/v1/members/{id}': (of) => ({
    path: `/members/${of.memberId}`,
    body: { role: 'admin', recurring_limit: { amount: '5', period: 'week' } },
  }),
  'DELETE /admin/v1/members/{id}': (of) => ({ path: `/members/${of.memberId}` }),
  'GET /admin/v1/session_tokens': (of) => ({ path: `/session_tokens?key_id=${of.keyId}` }),
  'DELETE /admin/v1/session_tokens/{id}': (of) => ({ path: `/session_tokens/${of.sessionTokenId}` }),
  'POST /admin/v1/rules': (of) => ({
    path: '/rules',
    body: { layer: 'key', subject_id: of.keyId, type: 'deny-providers', values: ['nobody'] },
  }),
  'GET /admin/v1/rules': (of) => ({ path: `/rules?organization_id=${of.organizationId}` }),
  'DELETE /admin/v1/rules/{id}': (of) => ({ path: `/rules/${of.ruleId}` }),
  'POST /admin/v1/provider_keys': (of) => ({
    path: '/provider_keys',
    body: { organization_id: of.organizationId, provider: 'groq', api_key: 'gsk-0123456789' },
  }),
  'GET /admin/v1/provider_keys': (of) => ({ path: `/provider_keys?organization_id=${of.organizationId}` }),
  'DELETE /admin/v1/provider_keys/{id}': (of) => ({ path: `/provider_keys/${of.providerKeyId}` }),
  'POST /admin/v1/custom_providers': (of) => ({
    path: '/custom_providers',
    body: {
      organization_id: of.organizationId,
      name: 'another',
      format: 'chat',
      base_url: 'https://8.8.8.8/v1',
      api_key: 'sk-0123456789',
    },
  }),
  'GET /admin/v1/custom_providers': (of) => ({
    path: `/custom_providers?organization_id=${of.organizationId}`,
  }),
  'POST /admin/v1/custom_providers/{id}': (of) => ({
    path: `/custom_providers/${of.customProviderId}`,
    body: { api_key: 'sk-9876543210' },
  }),
  'DELETE /admin/v1/custom_providers/{id}': (of) => ({ path: `/custom_providers/${of.customProviderId}` }),
  'POST /admin/v1/custom_models': (of) => ({
    path: '/custom_models',
    body: {
      organization_id: of.organizationId,
      provider: 'theirs',
      name: 'large',
      context_length: 1000,
      max_output: 100,
      price: { input: '1', output: '2' },
    },
  }),
  'GET /admin/v1/custom_models': (of) => ({ path: `/custom_models?organization_id=${of.organizationId}` }),
  'DELETE /admin/v1/custom_models/{id}': (of) => ({ path: `/custom_models/${of.customModelId}` }),
  'GET /admin/v1/usage': (of) => ({ path: `/usage?by=model,day&organization_id=${of.organizationId}` }),
  'GET /admin/v1/logs': (of) => ({ path: `/logs?key_id=${of.keyId}` }),
  'GET /admin/v1/logs/{id}': (of) => ({ path: `/logs/${of.requestId}` }),
  'GET /admin/v1/ledger/check': () => ({ path: '/ledger/check' }),
  'POST /admin/v1/admin_keys': () => ({
    path: '/admin_keys',
    body: { label: 'dashboard', scopes: ['read'] },
  }),
  'GET /admin/v1/admin_keys': () => ({ path: '/admin_keys' }),
  'POST /admin/v1/admin_keys/{id}': (of) => ({
    path: `/admin_keys/${of.adminKeyId}`,
    body: { disabled: true },
  }),
  'GET /admin/v1/audit_logs': (of) => ({ path: `/audit_logs?organization_id=${of.organizationId}` }),
};

/** Resources of a new organization, one of each kind. */
export async function createSubjects(gateway: InProcessGateway): Promise<AdminSubjects> {
  const account = await gateway.createAccount();
  const { organizationId } = account;
  const { directory } = gateway.accounts;
  const rule = await directory.addRule({
    layer: 'organization',
    subjectId: organizationId,
    type: 'deny-models',
    values: ['nothing'],
  });
  const { key } = await directory.createAdminKey({ label: 'theirs', organizationId });
  const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  const answer = await gateway.post('/v1/chat/completions', ask, {
    authorization: `Bearer ${account.apiKey}`,
  });
  await answer.text();
  const requestId = answer.headers.get('x-request-id') ?? '';
  const { id: memberId } = await directory.addMember({ organizationId, name: 'Theirs', role: 'member' });
  const { session } = await directory.createSessionToken({ keyId: account.keyId, budget: 1n });
  const byok = await createByok(gateway, organizationId);
  return {
    ...account,
    ruleId: rule.id,
    adminKeyId: key.id,
    requestId,
    memberId,
    sessionTokenId: session.id,
    ...byok,
  };
}

/** A key of the organization's own, and a provider of its own with a model. */
export async function createByok(
  { accounts: { directory }, terms }: InProcessGateway,
  organizationId: string,
): Promise<Pick<AdminSubjects, 'providerKeyId' | 'customProviderId' | 'customModelId'>> {
  const apiKey = 'sk-0123456789';
  const own = await directory.setProviderKey({ organizationId, providerId: 'mistral', apiKey }, terms);
  const provider = { organizationId, name: 'theirs', format: 'chat', baseUrl: 'https://8.8.8.8/v1', apiKey };
  const { id: customProviderId } = await directory.addCustomProvider(provider, terms);
  const model = { name: 'm', contextLength: 1000, maxOutput: 100, price: { input: '1', output: '1' } };
  const added = await directory.addCustomModel({ organizationId, provider: 'theirs', model }, terms);
  return { providerKeyId: own.id, customProviderId, customModelId: added.id };
}

/** Sends a call with a credential (`''`: none), by default as JSON. */
export function sendAdmin(
  gateway: Pick<InProcessGateway, 'request'>,
  call: AdminCall & { method: string; body?: unknown },
  headers: Record<string, string>,
): Promise<Response> {
  const { method, path, body } = call;
  return gateway.request(`/admin/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

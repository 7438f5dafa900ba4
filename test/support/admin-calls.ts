import type { JsonObject } from '#base';
import type { InProcessGateway, TestAccount } from './in-process.ts';
import type { IsolationLine } from './isolation-line.ts';
import {
  RESOURCE_ROUTES,
  type ResourceRoute,
  createBody,
  createSamples,
  nameId,
} from './resource-samples.ts';

/** A request to an admin endpoint. */
export interface AdminCall {
  path: string;
  body?: JsonObject;
}

/** Ids an admin call can name: resources of one organization, such as `ruleId`. */
export interface AdminSubjects extends TestAccount {
  requestId: string;
  [id: string]: string;
}

/** What concerns all organizations is only for admin keys of the operator. */
export const OF_ALL = { of: 'installation', foreign: 403 } as const;

/** The example of a definition, with the ids of one organization. */
function callResource({ resource, name, operation, path }: ResourceRoute, of: AdminSubjects): AdminCall {
  const subject = of[nameId(resource.owner === 'id' ? 'organization' : resource.name)] ?? '';
  const body = createBody(operation, of, name === 'create');
  const place = path.slice('/admin/v1'.length).replace('{id}', subject);
  return {
    path: name === 'list' ? `${place}${describeFilters(operation, of)}` : place,
    ...(body && { body }),
  };
}

function describeFilters({ input, kind }: ResourceRoute['operation'], of: AdminSubjects): string {
  const isFiltered = input['organizationId']?.description !== undefined;
  const query = [
    ...(isFiltered ? [`organization_id=${of.organizationId}`] : []),
    ...(kind === 'page' ? ['limit=100'] : []),
  ].join('&');
  return query === '' ? '' : `?${query}`;
}

interface ReportCall {
  /** A valid path, with its query. */
  path(of: AdminSubjects): string;
  body?: JsonObject;
  /** What other organizations get, if not a 404. */
  isolation?: Partial<IsolationLine>;
}

/** The endpoints that belong to no resource. */
export const REPORT_CALLS: Readonly<Record<string, ReportCall>> = {
  'GET /admin/v1/usage': {
    path: ({ organizationId }) => `/usage?by=model,day&organization_id=${organizationId}`,
    isolation: { foreign: 200, reports: false },
  },
  'GET /admin/v1/logs': {
    path: ({ organizationId }) => `/logs?organization_id=${organizationId}`,
    isolation: { foreign: 200 },
  },
  'GET /admin/v1/logs/{id}': { path: ({ requestId }) => `/logs/${requestId}` },
  'GET /admin/v1/sessions': {
    path: ({ organizationId }) => `/sessions?organization_id=${organizationId}`,
    isolation: { foreign: 200 },
  },
  'GET /admin/v1/sessions/{id}': { path: ({ sessionId }) => `/sessions/${sessionId}` },
  'GET /admin/v1/settings': { path: () => '/settings', isolation: OF_ALL },
  'GET /admin/v1/status': { path: () => '/status', isolation: OF_ALL },
  'GET /admin/v1/providers': { path: () => '/providers', isolation: OF_ALL },
  'POST /admin/v1/provider_tests': {
    path: () => '/provider_tests',
    body: { provider_id: 'nobody' },
    isolation: OF_ALL,
  },
  'GET /admin/v1/ledger/check': { path: () => '/ledger/check', isolation: OF_ALL },
};

/** A valid call of every admin endpoint. An endpoint without one fails the test. */
export const ADMIN_CALLS: Readonly<Record<string, (of: AdminSubjects) => AdminCall>> = {
  ...Object.fromEntries(
    RESOURCE_ROUTES.map((route) => [
      `${route.method} ${route.path}`,
      (of: AdminSubjects) => callResource(route, of),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(REPORT_CALLS).map(([route, { path, body }]) => [
      route,
      (of: AdminSubjects) => ({ path: path(of), ...(body && { body }) }),
    ]),
  ),
};

/** Resources of a new organization, one of each kind. */
export async function createSubjects(gateway: InProcessGateway): Promise<AdminSubjects> {
  const account = await gateway.createAccount();
  const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  const answer = await gateway.post('/v1/chat/completions', ask, {
    authorization: `Bearer ${account.apiKey}`,
    'x-gateway-session': `session-${account.keyId}`,
  });
  await answer.text();
  const requestId = answer.headers.get('x-request-id') ?? '';
  const sessionId = `session-${account.keyId}`;
  return { ...account, requestId, sessionId, ...(await createSamples(gateway, { ...account })) };
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

import assert from 'node:assert/strict';
import type { JsonObject } from '#base';
import type { InProcessGateway, TestAccount } from './in-process.ts';
import type { IsolationLine } from './isolation-line.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { ADMIN_ENDPOINTS } from '../../src/http/endpoints/admin/index.ts';
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

/** An endpoint that belongs to no resource. */
interface ReportCall {
  path(of: AdminSubjects): string;
  body?: JsonObject;
  /** What other organizations get, if not a 404. */
  isolation: Partial<IsolationLine>;
}

interface ReportFacts {
  query?: string | ((of: AdminSubjects) => string);
  body?: JsonObject;
  isolation?: Partial<IsolationLine>;
}

/** What their definitions do not contain: required parameters, and what else other organizations get. */
const REPORT_FACTS: Readonly<Record<string, ReportFacts>> = {
  'GET /admin/v1/usage': { query: 'by=model,day', isolation: { reports: false } },
  'GET /admin/v1/latency': { query: 'by=model,day', isolation: { reports: false } },
  'GET /admin/v1/names': {
    query: ({ keyId, projectId, organizationId }) => `ids=${keyId},${projectId},${organizationId}`,
    isolation: { reports: false },
  },
  'GET /admin/v1/holds': { isolation: { reports: false } },
  'GET /admin/v1/logs/stream': { query: 'last=100&seconds=0' },
  'GET /admin/v1/logs/{id}/bill': { isolation: { reports: false } },
  'GET /admin/v1/logs/{id}/payload': { isolation: { reports: false } },
  'GET /admin/v1/cache_misses': { isolation: { reports: false } },
  'GET /admin/v1/experiments': { isolation: { reports: false } },
  'GET /admin/v1/webhook_deliveries': { isolation: { reports: false } },
  'GET /admin/v1/advice': { isolation: { reports: false } },
  'POST /admin/v1/provider_tests': { body: { provider_id: 'nobody' } },
  'POST /admin/v1/organizations/{id}/provider_tests': { body: { provider: 'nobody' } },
  'GET /admin/v1/what_if': { query: 'model=gpt-5-mini', isolation: { reports: false } },
};

export const REPORT_CALLS: Readonly<Record<string, ReportCall>> = Object.fromEntries(
  ADMIN_ENDPOINTS.map((endpoint) => ({ endpoint, route: `${endpoint.method} ${endpoint.template}` }))
    .filter(({ route }) => !RESOURCE_ROUTES.some(({ method, path }) => route === `${method} ${path}`))
    .map(({ endpoint, route }) => [route, createReportCall(endpoint, REPORT_FACTS[route])]),
);

/** One record, what an organization can see, or what concerns all. */
function createReportCall(endpoint: Endpoint, { query, body, isolation }: ReportFacts = {}): ReportCall {
  const path = endpoint.template.slice('/admin/v1'.length);
  const [, list] = /(\w+)s\/\{id\}/.exec(path) ?? [];
  const isFiltered = list === undefined && endpoint.query?.['organization_id'] !== undefined;
  return {
    path: (of) => {
      const filter = isFiltered ? `organization_id=${of.organizationId}` : undefined;
      const own = typeof query === 'function' ? query(of) : query;
      const pairs = [own, filter].filter((pair) => pair !== undefined).join('&');
      return `${path.replace('{id}', () => getId(of, `${list}Id`))}${pairs === '' ? '' : `?${pairs}`}`;
    },
    ...(body && { body }),
    isolation: { ...(isFiltered ? { foreign: 200 } : list === undefined && OF_ALL), ...isolation },
  };
}

function getId(of: AdminSubjects, name: string): string {
  return of[name] ?? assert.fail(`createSubjects has no ${name}`);
}

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
  return {
    ...account,
    requestId,
    logId: requestId,
    sessionId,
    ...(await createSamples(gateway, { ...account })),
  };
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

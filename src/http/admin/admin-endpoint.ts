import type { AdminCaller, RequiredScope, Perform } from '#accounts';
import type { JsonObject } from '#base';
import type { TUnsafe } from 'typebox';
import type { Call, Endpoint, HttpPorts, ResponseSpec } from '../endpoint.ts';
import { hasScope } from '#accounts';
import { GatewayError } from '#errors';
import { receive } from '#pipeline';
import { openaiErrorSchema } from '#wire';
import { defineEndpoint } from '../endpoint.ts';
import { type BodyReader, createBodyReader } from './body-reader.ts';
import { type References, toRequestError } from './to-request-error.ts';
import { type Query, readQuery } from './read-query.ts';
import { PRIVATE, sendRead } from './send-read.ts';

/** One checked request of an admin key. */
export interface AdminRequest<Body = unknown> {
  caller: AdminCaller;
  /** Runs an operation of a resource for the caller; except for GET, in a transaction. */
  perform: Perform;
  /** The `{id}` of the path. */
  id: string;
  query: Query;
  body: Body;
}

interface AdminSpec<Body, Need extends keyof HttpPorts> {
  method: 'DELETE' | 'GET' | 'POST';
  /** The path as in OpenAPI: `/admin/v1/keys/{id}`. */
  path: string;
  summary: string;
  scope: RequiredScope;
  query?: Readonly<Record<string, string>>;
  /**
   * Other members are refused; each member's description completes “must be …”. Its type is given and not inferred from the
   * schema, because comparing inferred ones takes seconds of each type check.
   */
  body?: TUnsafe<Body>;
  /** Present names of members of the body by earlier ones. */
  former?: Readonly<Record<string, string>>;
  /** What ids of the body and the query refer to, if not named after it. */
  references?: References;
  answer: ResponseSpec;
  /** For a POST: it runs once, outside of a transaction, and cannot be repeated by an `Idempotency-Key`. */
  changesNothing?: boolean;
  /** Whether a session that is bound to a member can use it; it must then show only what is the member's own. */
  isForMembers?: boolean;
  /** Whether it can return 404; by default, if the path has an id. */
  canMiss?: boolean;
  needs?: readonly Need[];
  /** Returns the response. A change may be run again, so it changes nothing but the directory. */
  handle(request: AdminRequest<Body>, ports: Pick<HttpPorts, Need>): Promise<JsonObject>;
}

const MEANINGS: Record<number, string> = {
  400: 'A malformed request; the message names the path.',
  401: 'The admin key is missing, unknown or disabled.',
  403: 'Not an admin key, or one without the scope; the message names it.',
  404: 'It does not exist, or belongs to another organization than the admin key.',
  408: 'The body did not arrive in time.',
  409: 'A request with the same `Idempotency-Key` is running; see `retry-after`.',
  413: 'The body is too large.',
  415: 'Not JSON, or compressed.',
  422: 'The `Idempotency-Key` was used for another request.',
  429: 'Too many of these at once; see `retry-after`.',
  500: 'An internal error of the gateway.',
  503: 'The database is unavailable; see `retry-after`.',
};
const OF_ALL = [400, 401, 403, 500, 503];
const OF_BODY = [408, 413, 415];
const OF_CHANGE = [409, 422];
const IDEMPOTENCY = {
  'Idempotency-Key':
    'Makes the request safe to repeat: for 24 hours the same key and body get the same response, with `idempotent-replayed: true`.',
};

/** Declares an admin endpoint with its scope, query, body and response, and adds what all admin endpoints share. */
export function defineAdminEndpoint<Body, const Need extends keyof HttpPorts = never>(
  spec: AdminSpec<Body, Need>,
): Endpoint {
  const { method, path, summary, query = {}, body, answer, needs = [] } = spec;
  const isChange = method !== 'GET' && spec.changesNothing !== true;
  const hasId = path.includes('{id}');
  const statuses = [
    ...OF_ALL,
    ...((spec.canMiss ?? hasId) ? [404] : []),
    ...(body ? OF_BODY : []),
    ...(method === 'POST' && isChange ? OF_CHANGE : []),
  ];
  const readBody = body && createBodyReader(body, spec.former);
  return defineEndpoint({
    method,
    path: path.replace('{id}', ':id'),
    summary: `${summary} Scope: \`${spec.scope}\`.`,
    auth: 'admin',
    ...(spec.isForMembers === true && { isForMembers: true }),
    format: 'chat',
    query,
    ...(method === 'POST' && isChange && { headers: IDEMPOTENCY }),
    ...(body && { body }),
    responses: {
      200: answer,
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          { description: describeStatus(status), schema: openaiErrorSchema },
        ]),
      ),
    },
    needs: ['accounts', ...needs],
    handle: async (call, ports) => {
      const request = await parseRequest(call, spec, readBody);
      const handle = async (perform: Perform): Promise<JsonObject> => {
        try {
          return await spec.handle({ ...request, perform } as AdminRequest<Body>, ports);
        } catch (thrown) {
          throw toRequestError(thrown, request, spec.references ?? {});
        }
      };
      await answerRequest({ call, request, accounts: ports.accounts, handle, isChange });
    },
  });
}

interface ParsedRequest extends Omit<AdminRequest, 'perform'> {
  bytes: Uint8Array;
}

/** The query of a caller with the scope. */
export function readAdminQuery(
  call: Call & { admin: AdminCaller },
  { scope, query }: { scope: RequiredScope; query: Readonly<Record<string, string>> },
): Query {
  if (!hasScope(call.admin.scopes, scope))
    throw new GatewayError('missing_scope', `this admin key lacks the scope ${scope}`);
  return readQuery(call.query, query);
}

export const describeStatus = (status: number): string => MEANINGS[status] ?? '';

async function parseRequest(
  call: Call & { admin: AdminCaller },
  { scope, query = {}, path }: Pick<AdminSpec<unknown, never>, 'scope' | 'query' | 'path'>,
  readBody: BodyReader | undefined,
): Promise<ParsedRequest> {
  const caller = call.admin;
  const request = { caller, id: call.params['id'] ?? '', query: readAdminQuery(call, { scope, query }) };
  if (!readBody) return { ...request, body: undefined, bytes: new Uint8Array() };
  const { bytes, body } = await receive(call.arrive(path, 'chat'));
  return { ...request, body: readBody(body), bytes };
}

interface Work {
  call: Call;
  request: ParsedRequest;
  accounts: HttpPorts['accounts'];
  isChange: boolean;
  handle(perform: Perform): Promise<JsonObject>;
}

async function answerRequest({ call, request, accounts, isChange, handle }: Work): Promise<void> {
  const { administration } = accounts;
  const { caller, bytes } = request;
  if (!isChange) {
    await sendRead(call, await handle(administration.read(caller)));
    return;
  }
  const key = call.headers['idempotency-key'];
  const { text, isReplay } = await administration.change(
    {
      caller,
      requestId: call.requestId,
      ...(key !== undefined && { repeatable: { key: String(key), request: [call.path, bytes] } }),
    },
    async (perform) => JSON.stringify(await handle(perform)),
  );
  call.reply.send(200, { ...PRIVATE, ...(isReplay && { 'idempotent-replayed': 'true' }) }, text);
}

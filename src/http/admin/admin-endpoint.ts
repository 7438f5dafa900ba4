import type { AdminCaller, AdminTask, Perform } from '#accounts';
import type { JsonObject } from '#base';
import type { Static, TSchema } from 'typebox';
import type { Call, Endpoint, HttpPorts, ResponseSpec } from '../endpoint.ts';
import { hasScope } from '#accounts';
import { GatewayError } from '#errors';
import { receive } from '#pipeline';
import { openaiErrorSchema } from '#wire';
import { defineEndpoint } from '../endpoint.ts';
import { type BodyReader, createBodyReader } from './body-reader.ts';
import { inRequestWords } from './in-request-words.ts';
import { type Query, readQuery } from './read-query.ts';

/** One request of an administrator, checked. */
export interface AdminVisit<Body = unknown> {
  caller: AdminCaller;
  /** Does an operation of a resource for the caller; where the method is not GET, all that it does or nothing is kept. */
  perform: Perform;
  /** The `{id}` of the path. */
  id: string;
  query: Query;
  body: Body;
}

interface AdminSpec<Body extends TSchema, Need extends keyof HttpPorts> {
  method: 'DELETE' | 'GET' | 'POST';
  /** As OpenAPI writes it: `/admin/v1/keys/{id}`. */
  path: string;
  summary: string;
  task: AdminTask;
  query?: Readonly<Record<string, string>>;
  /** Refuses what it does not name; each member's description completes “must be …”. */
  body?: Body;
  answer: ResponseSpec;
  /** Whether it answers 404; by default where the path has an id. */
  canMiss?: boolean;
  needs?: readonly Need[];
  /** The answer. A change may be run again: it reaches nothing but the directory. */
  handle(visit: AdminVisit<Static<Body>>, ports: Pick<HttpPorts, Need>): Promise<JsonObject>;
}

const MEANINGS: Record<number, string> = {
  400: 'A malformed request; the message names the path.',
  401: 'No, an unknown or a disabled admin key.',
  403: 'Not an admin key, or one without the scope; the message names it.',
  404: 'There is no such thing, or it belongs to another organization than the admin key.',
  408: 'The body did not arrive in time.',
  409: 'A request with the same `Idempotency-Key` is being carried out; see `retry-after`.',
  413: 'The body is too large.',
  415: 'Not JSON, or compressed.',
  422: 'The `Idempotency-Key` was used for another request.',
  500: 'A fault of the gateway.',
  503: 'The store is not available; see `retry-after`.',
};
const OF_ALL = [400, 401, 403, 500, 503];
const OF_POST = [408, 409, 413, 415, 422];
const IDEMPOTENCY = {
  'Idempotency-Key':
    'Makes the request safe to repeat: for 24 hours the same key and body get the same answer, with `idempotent-replayed: true`.',
};
const PRIVATE = { 'content-type': 'application/json', 'cache-control': 'private, no-store' };

/** Declares an admin endpoint: who may call it, what it takes, what it answers. All that such endpoints share is done here. */
export function defineAdminEndpoint<Body extends TSchema, const Need extends keyof HttpPorts = never>(
  spec: AdminSpec<Body, Need>,
): Endpoint {
  const { method, path, summary, query = {}, body, answer, needs = [] } = spec;
  const hasId = path.includes('{id}');
  const statuses = [
    ...OF_ALL,
    ...((spec.canMiss ?? hasId) ? [404] : []),
    ...(method === 'POST' ? OF_POST : []),
  ];
  const readBody = body && createBodyReader(body);
  return defineEndpoint({
    method,
    path: path.replace('{id}', ':id'),
    ...(hasId && { template: path }),
    summary: `${summary} Scope: \`${spec.task}\`.`,
    auth: 'admin',
    format: 'chat',
    query,
    ...(method === 'POST' && { headers: IDEMPOTENCY }),
    ...(body && { body }),
    responses: {
      200: answer,
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          { description: MEANINGS[status] ?? '', schema: openaiErrorSchema },
        ]),
      ),
    },
    needs: ['accounts', ...needs],
    handle: async (call, ports) => {
      const visit = await receiveVisit(call, spec, readBody);
      const handle = async (perform: Perform): Promise<JsonObject> => {
        try {
          return await spec.handle({ ...visit, perform } as AdminVisit<Static<Body>>, ports);
        } catch (thrown) {
          throw inRequestWords(thrown, visit);
        }
      };
      await answerVisit({ call, visit, accounts: ports.accounts, handle, isChange: method !== 'GET' });
    },
  });
}

interface Visit extends Omit<AdminVisit, 'perform'> {
  bytes: Uint8Array;
}

async function receiveVisit(
  call: Call,
  { task, query = {}, path }: Pick<AdminSpec<TSchema, never>, 'task' | 'query' | 'path'>,
  readBody: BodyReader | undefined,
): Promise<Visit> {
  const caller = call.admin;
  if (!caller) throw new GatewayError('missing_credential', 'an admin key is required');
  if (!hasScope(caller.scopes, task))
    throw new GatewayError('missing_scope', `this admin key lacks the scope ${task}`);
  const visit = { caller, id: call.params['id'] ?? '', query: readQuery(call.query, query) };
  if (!readBody) return { ...visit, body: undefined, bytes: new Uint8Array() };
  const { bytes, body } = await receive(call.arrive(path, 'chat'));
  return { ...visit, body: readBody(body), bytes };
}

interface Work {
  call: Call;
  visit: Visit;
  accounts: HttpPorts['accounts'];
  isChange: boolean;
  handle(perform: Perform): Promise<JsonObject>;
}

async function answerVisit({ call, visit, accounts, isChange, handle }: Work): Promise<void> {
  const { administration } = accounts;
  const { caller, bytes } = visit;
  if (!isChange) {
    const answer = await handle(administration.read(caller));
    call.reply.send(200, PRIVATE, JSON.stringify(answer));
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

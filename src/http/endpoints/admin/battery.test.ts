import { SseParser, reasonOf } from '#base';
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ErrorCode } from '#errors';
import {
  ADMIN_CALLS,
  type AdminCall,
  type AdminSubjects,
  createSubjects,
  sendAdmin,
} from '../../../../test/support/admin-calls.ts';
import { RawClient } from '../../../../test/support/raw-client.ts';
import { toResponse } from '../../../../test/support/raw-exchange.ts';
import { assertRefused } from '../../../../test/support/refusal.ts';
import { RESOURCE_ROUTES } from '../../../../test/support/resource-samples.ts';
import { sendPatiently } from '../../../../test/support/send-patiently.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ADMIN_ENDPOINTS } from './index.ts';
import { shareGateway } from '../../../../test/support/share-gateway.ts';

const BODY_MS = 2_000;
/** Each connection to the database plans every statement anew. */
const AT_ONCE = 4;

let subjects: AdminSubjects;
let admin: string;
const gateway = shareGateway({ limits: { bodyMs: BODY_MS } });
before(async () => {
  subjects = await createSubjects(gateway);
  ({ secret: admin } = await gateway.accounts.directory.createAdminKey({ label: 'battery' }));
});

const nameOf = ({ method, template }: Endpoint) => `${method} ${template}`;
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

function getCall(endpoint: Endpoint, of: AdminSubjects = subjects): AdminCall & { method: string } {
  const create = ADMIN_CALLS[nameOf(endpoint)];
  assert.ok(create, `test/support/admin-calls.ts has no call of ${nameOf(endpoint)}`);
  return { method: endpoint.method, ...create(of) };
}

const readEvents = (text: string): unknown[] =>
  new SseParser().push(Buffer.from(text)).map(({ data }) => JSON.parse(data) as unknown);

/** Reads no table and answers without a database, so that only an admin key that is not known yet shows the lack of one. */
const INDEPENDENT = new Set([
  'GET /admin/v1/status',
  'GET /admin/v1/settings',
  'GET /admin/v1/providers',
  'POST /admin/v1/provider_tests',
]);
/** Of these, bound admin keys do not learn whether a record exists. */
const FOR_UNBOUND = new Set(
  RESOURCE_ROUTES.filter(({ operation }) => operation.isForUnbound).map(
    ({ method, path }) => `${method} ${path}`,
  ),
);
const IS_INDEPENDENT =
  'it answers without the database: if that is right, add it to INDEPENDENT in this file';

async function createLateKey(endpoint: Endpoint): Promise<string> {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'known' });
  if (!INDEPENDENT.has(nameOf(endpoint))) await gateway.accounts.administration.identify(secret);
  return secret;
}

const request = (call: ReturnType<typeof getCall>, headers: Record<string, string>) =>
  sendPatiently(() => sendAdmin(gateway, call, headers));
const send = (endpoint: Endpoint, headers: Record<string, string> = bearer(admin)) =>
  request(getCall(endpoint), headers);

async function refused(response: Response, status: number, code: ErrorCode): Promise<string> {
  return assertRefused(gateway, response, { status, code, format: 'chat', row: 'none' });
}

/** What each status means, proven for every endpoint that declares it. */
const PROOFS: Record<number, (endpoint: Endpoint) => Promise<void>> = {
  200: async (endpoint) => {
    const of = await createSubjects(gateway);
    const response = await request(getCall(endpoint, of), bearer(admin));
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    const isStream = endpoint.responses[200]?.contentType === 'text/event-stream';
    const bodies = isStream ? readEvents(text) : [JSON.parse(text) as unknown];
    assert.ok(bodies.length > 0, text);
    const schema = Compile(endpoint.responses[200]?.schema as TSchema);
    for (const body of bodies) assert.deepEqual(schema.Errors(body), [], text);
  },
  400: async (endpoint) => {
    const call = getCall(endpoint);
    const wrong = call.body
      ? { ...call, body: { ...call.body, surplus: 1 } }
      : { ...call, path: `${call.path}${call.path.includes('?') ? '&' : '?'}surplus=1` };
    const message = await refused(await request(wrong, bearer(admin)), 400, 'invalid_request');
    assert.match(message, /^surplus: is not known here; (known are |it takes no filter$)/);
  },
  401: async (endpoint) => {
    const off = await gateway.accounts.directory.createAdminKey({ label: 'off' });
    assert.notEqual((await send(endpoint, bearer(off.secret))).status, 401);
    await gateway.accounts.directory.setAdminKeyDisabled(off.key.id, true);
    await refused(await send(endpoint, { authorization: '' }), 401, 'missing_credential');
    await refused(await send(endpoint, bearer(off.secret)), 401, 'invalid_credential');
    await refused(await send(endpoint, bearer('slcadm_unknown')), 401, 'invalid_credential');
  },
  403: async (endpoint) => {
    for (const secret of [subjects.apiKey, 'slcses_anything'])
      await refused(await send(endpoint, bearer(secret)), 403, 'wrong_credential');
    const [, task = ''] = /Scope: `(\w+:\w+)`/.exec(endpoint.summary) ?? [];
    const scopes = task.startsWith('logs') ? ['money:write'] : ['logs:read'];
    const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'narrow', scopes });
    const message = await refused(await send(endpoint, bearer(secret)), 403, 'missing_scope');
    assert.equal(message, `this admin key lacks the scope ${task}`);
  },
  404: async (endpoint) => {
    const foreign = await createSubjects(gateway);
    const { secret } = await gateway.accounts.directory.createAdminKey({
      label: 'bound',
      organizationId: foreign.organizationId,
    });
    const unknown = Object.fromEntries(
      Object.entries<string>(subjects).map(([name, id]) => [name, `${id.slice(0, 4)}unknown`]),
    ) as AdminSubjects;
    if (FOR_UNBOUND.has(nameOf(endpoint))) {
      await refused(await request(getCall(endpoint), bearer(secret)), 403, 'missing_scope');
      await refused(await request(getCall(endpoint, unknown), bearer(admin)), 404, 'not_found');
      return;
    }
    const answers = [
      await request(getCall(endpoint, unknown), bearer(secret)),
      await request(getCall(endpoint), bearer(secret)),
    ];
    const messages = await Promise.all(answers.map((answer) => refused(answer, 404, 'not_found')));
    assert.equal(new Set(messages).size, 1, 'foreign and unknown ids get the same answer');
  },
  408: async (endpoint) => {
    using client = await RawClient.open(gateway.url);
    const path = `/admin/v1${getCall(endpoint).path}`;
    client.send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${admin}\r\ncontent-length: 9\r\n\r\n{`,
    );
    await refused(toResponse(await client.waitForEnd()), 408, 'request_timeout');
  },
  409: async (endpoint) => {
    const key = `busy-${endpoint.path}`;
    const { actorId } = await gateway.accounts.administration.identify(admin);
    await gateway.database.transaction(async (client) => {
      await client.query({
        text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 7))',
        values: [`${actorId} ${key}`],
      });
      const response = await send(endpoint, { ...bearer(admin), 'idempotency-key': key });
      assert.equal(response.headers.get('retry-after'), '1');
      await refused(response, 409, 'request_in_progress');
    });
  },
  413: async (endpoint) => {
    using client = await RawClient.open(gateway.url);
    const path = `/admin/v1${getCall(endpoint).path}`;
    const length = 64 * 1024 * 1024;
    client.send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${admin}\r\ncontent-length: ${length}\r\n\r\n`,
    );
    await refused(toResponse(await client.waitForEnd()), 413, 'body_too_large');
  },
  415: async (endpoint) => {
    const response = await send(endpoint, { ...bearer(admin), 'content-type': 'text/plain' });
    await refused(response, 415, 'unsupported_media_type');
  },
  422: async (endpoint) => {
    const of = await createSubjects(gateway);
    const call = getCall(endpoint, of);
    const headers = { ...bearer(admin), 'idempotency-key': `used-${endpoint.path}` };
    const first = await request(call, headers);
    const again = await request(call, headers);
    assert.deepEqual([first.status, again.status], [200, 200]);
    assert.deepEqual(
      [first, again].map((answer) => answer.headers.get('idempotent-replayed')),
      [null, 'true'],
    );
    assert.equal(await again.text(), await first.text());
    const other = call.body
      ? { ...call, body: JSON.stringify(call.body).replace('{', '{ ') }
      : getCall(endpoint, subjects);
    await refused(await request(other as unknown as typeof call, headers), 422, 'idempotency_key_reused');
  },
  429: async (endpoint) => {
    const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'many' });
    const call = getCall(endpoint);
    const open = { ...call, path: call.path.replace('seconds=0', 'seconds=60') };
    const places = Array.from({ length: 16 }, () => request(open, bearer(secret)));
    const streams = await Promise.all(places);
    const response = await send(endpoint, bearer(secret));
    assert.equal(response.headers.get('retry-after'), '10');
    await refused(response, 429, 'too_many_readers');
    for (const { body } of streams) await body?.cancel();
  },
  500: async (endpoint) => {
    const secret = await createLateKey(endpoint);
    const response = await gateway.withoutTable(await listTables(), () => send(endpoint, bearer(secret)));
    assert.notEqual(response.status, 200, IS_INDEPENDENT);
    assert.equal(await refused(response, 500, 'internal_error'), 'internal error');
  },
  503: async (endpoint) => {
    const secret = await createLateKey(endpoint);
    gateway.line.cut();
    try {
      const response = await sendAdmin(gateway, getCall(endpoint), bearer(secret));
      assert.notEqual(response.status, 200, IS_INDEPENDENT);
      assert.equal(response.headers.get('retry-after'), '2');
      await refused(response, 503, 'store_unavailable');
    } finally {
      gateway.line.mend();
    }
  },
};

/** Without these and the audited tables nothing can be read or changed. */
const TABLES = [
  'request_log',
  'audit_log',
  'meter',
  'session_token',
  'usage_hour',
  'usage_day',
  'alert_event',
];

async function listTables(): Promise<string[]> {
  const { rows } = await gateway.database.query<{ name: string }>({
    text: `
      SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger
      WHERE tgfoid = 'audit_change'::regproc AND tgparentid = 0`,
  });
  return [...new Set([...TABLES, ...rows.map(({ name }) => name)])];
}

const PROOF_MS = 120_000;

/** So that a proof that hangs is named. */
async function giveUp(): Promise<never> {
  await sleep(PROOF_MS, undefined, { ref: false });
  throw new Error('it has no end');
}

/** Statuses whose proof takes what all share are shown for one endpoint after the other. */
const ALONE = new Set(['409', '500', '503']);
/** Proofs that wait for the gateway's clock and ask the database for nothing else. */
const WAITING = new Set(['408', '413']);

function countAtOnce(status: string): number {
  if (ALONE.has(status)) return 1;
  return WAITING.has(status) ? ADMIN_ENDPOINTS.length : AT_ONCE;
}

test('every admin endpoint has a call that proves it, and no status without a proof', () => {
  assert.deepEqual(Object.keys(ADMIN_CALLS).sort(), ADMIN_ENDPOINTS.map(nameOf).sort());
  for (const { auth, responses } of ADMIN_ENDPOINTS) {
    assert.equal(auth, 'admin');
    for (const status of Object.keys(responses)) assert.ok(status in PROOFS, status);
  }
});

for (const [status, prove] of Object.entries(PROOFS)) {
  test(`${status}: every admin endpoint that declares it`, async () => {
    const declaring = ADMIN_ENDPOINTS.filter(({ responses }) => status in responses);
    assert.ok(declaring.length > 0);
    const run = (endpoint: Endpoint): Promise<void> =>
      Promise.race([prove(endpoint), giveUp()]).catch((error: unknown) => {
        throw new Error(`${nameOf(endpoint)}: ${reasonOf(error)}`, {
          cause: error,
        });
      });
    const left = declaring.values();
    const work = async (): Promise<void> => {
      for (const endpoint of left) await run(endpoint);
    };
    await Promise.all(Array.from({ length: countAtOnce(status) }, work));
  });
}

test('every field of every body has a description that completes “must be …”', () => {
  for (const { body, path } of ADMIN_ENDPOINTS) {
    const { properties: members = {} }: { properties?: object } = body ?? {};
    for (const [name, member] of Object.entries(members)) {
      const { description, properties } = member as { description?: string; properties?: object };
      assert.ok(description !== undefined || properties, `${path} ${name}`);
    }
  }
});

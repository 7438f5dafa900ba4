import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ENDPOINTS } from '#http';
import { openInProcess } from '../support/in-process.ts';
import {
  type Identity,
  type IsolationAnswer,
  type IsolationWorld,
  type Reach,
  createWorld,
  refusalBy,
  sendCall,
} from '../support/isolation.ts';
import type { IsolationLine } from '../support/isolation-line.ts';
import { ISOLATION_LINES } from '../support/isolation-lines.ts';
import { CANARY_WORDS, type OwnedNames, toUnknown } from '../support/isolation-owner.ts';
import { createVideoConfig, startMockVideoProvider } from '../support/mock-video-provider.ts';
import { startMockUpstream } from '../support/mock-upstream.ts';
import { answer } from '../support/upstream-replies.ts';

/** Each route once, by its name in OpenAPI. */
const ROUTES = ENDPOINTS.map((endpoint) => ({
  endpoint,
  name: `${endpoint.method} ${endpoint.template}`,
}));

const opened = new AsyncDisposableStack();
let world: IsolationWorld;
before(async () => {
  const upstream = opened.use(await startMockUpstream());
  const videos = opened.use(await startMockVideoProvider());
  videos.content = Buffer.from(CANARY_WORDS.answer);
  const { baseUrl, port } = upstream;
  const config = [
    `customProviders: { trustedHosts: ["127.0.0.1:${port}"] }`,
    createVideoConfig(videos.origin).trimEnd(),
    `  - { id: ours, format: chat, baseUrl: "${baseUrl}", apiKey: gateway-key, models: [`,
    '      { id: large, contextLength: 1000, maxOutput: 100, price: { input: "1", output: "1" } } ] }',
    '',
  ].join('\n');
  const gateway = opened.use(await openInProcess({ config }));
  upstream.script({ reply: answer({ text: CANARY_WORDS.answer }) });
  world = await createWorld(gateway, baseUrl);
  upstream.script({ reply: answer({ text: 'hello' }) });
});
after(() => opened.disposeAsync());

/** What a cell of the matrix promises. */
interface Cell {
  endpoint: (typeof ENDPOINTS)[number];
  line: IsolationLine;
  who: string;
  identity: Identity;
  /** Whether the policy refuses this caller before anything is looked up. */
  isTurnedAway: boolean;
  /** Whether the named resource belongs to this caller too. */
  isOwn: boolean;
  status: number;
}

/** The policy decides first, then the ownership. */
function toCell(endpoint: Cell['endpoint'], line: IsolationLine, who: string): Cell {
  const identity = world.identities[who] as Identity;
  const refusal = refusalBy(line.auth ?? endpoint.auth, identity);
  const isWithin = (of: Reach): boolean => of === 'anyone' || identity.reach.includes(of);
  const isOwn =
    refusal === undefined && (isWithin(line.of) || (line.alsoOf !== undefined && isWithin(line.alsoOf)));
  const { own = 200, foreign = 404 } = line;
  const status = refusal ?? (isOwn ? own : foreign);
  return { endpoint, line, who, identity, isTurnedAway: refusal !== undefined, isOwn, status };
}

async function ask({ endpoint, line, identity }: Cell, names: OwnedNames): Promise<IsolationAnswer> {
  return sendCall(world, { ...line.call(names), method: endpoint.method, names }, identity);
}

const canariesIn = ({ headers, body }: IsolationAnswer): string[] =>
  world.canaries.filter((canary) => body.includes(canary) || headers.includes(canary));

/** Asserts the status, and that no word distinguishes another's resource from one that does not exist. */
async function proveForeign(cell: Cell, names: OwnedNames): Promise<void> {
  const { who, status, endpoint, isTurnedAway } = cell;
  const got = await ask(cell, names);
  assert.equal(got.status, status, `${who}: ${got.body}`);
  const isOfProject = cell.identity.kind === 'session' || cell.identity.reach.includes('project');
  const known = isOfProject && cell.line.known ? names[cell.line.known] : undefined;
  const reported = canariesIn(got).filter((canary) => canary !== known && canary !== cell.line.common);
  assert.deepEqual(reported, [], `${who} received the owner’s data: ${got.body}`);
  if (isTurnedAway) return;
  if (status === 200 && endpoint.method !== 'GET') return; // something new, of the caller's own
  const isNamed = cell.line.call(names).path !== cell.line.call(toUnknown(names)).path;
  if (endpoint.method === 'GET' && !isNamed) return;
  const unknown = await ask(cell, toUnknown(names));
  assert.equal(unknown.status, status, `${who}, unknown: ${unknown.body}`);
  assert.equal(got.body, unknown.body, `${who} can distinguish foreign from unknown ids`);
}

const PROVES_NOTHING =
  'the line proves nothing; an answer without names and ids, such as of counts, has `reports: false` (REPORTS of admin-calls.ts)';

async function proveOwn(cell: Cell, names: OwnedNames): Promise<void> {
  const { who, status, line, endpoint } = cell;
  const got = await ask(cell, names);
  assert.equal(got.status, status, `${who}: ${got.body}`);
  if (line.of === 'anyone') assert.deepEqual(canariesIn(got), [], who);
  const isOfOwner = line.of !== 'anyone' && line.of !== 'installation';
  if (line.reports ?? (isOfOwner && endpoint.method === 'GET'))
    assert.notDeepEqual(canariesIn(got), [], `${who} gets nothing of the owner: ${PROVES_NOTHING}`);
}

/** How many of the owner's resources an administrator has changed. */
async function countChanges(): Promise<number> {
  const { rows } = await world.gateway.database.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM audit_log WHERE organization_id = $1',
    values: [world.names.organizationId],
  });
  return rows[0]?.count ?? -1;
}

/**
 * Owners first, so that their answers are available for replay; then all others, who must be refused; then the owners
 * again, to show that the resource is unchanged. Calls that consume a resource come last.
 */
async function proveLine(endpoint: Cell['endpoint'], line: IsolationLine): Promise<void> {
  const cells = Object.keys(world.identities).map((who) => toCell(endpoint, line, who));
  const foreign = cells.filter(({ isOwn }) => !isOwn);
  const own = cells.filter(({ isOwn }) => isOwn);
  const before = world.names;
  const renew = async (): Promise<void> => {
    world.names = { ...world.names, ...(await line.renew?.(world)) };
  };
  await renew();
  if (!line.renew) for (const cell of own) await proveOwn(cell, world.names);
  const changes = await countChanges();
  await Promise.all(foreign.map((cell) => proveForeign(cell, world.names)));
  if (endpoint.auth === 'admin') assert.equal(await countChanges(), changes, 'a refused call left a trace');
  for (const cell of own) {
    await proveOwn(cell, world.names);
    await renew();
  }
  world.names = before;
}

test('every route has a line in the matrix, and no line is without its route', () => {
  const missing = ROUTES.filter(({ name }) => !ISOLATION_LINES[name]?.length).map(({ name }) => name);
  assert.deepEqual(
    missing,
    [],
    'routes without a line in test/support/isolation-lines.ts, a body in fuzz/base-bodies.ts (media) or a call in admin-calls.ts',
  );
  const names = new Set(ROUTES.map(({ name }) => name));
  const surplus = Object.keys(ISOLATION_LINES).filter((name) => !names.has(name));
  assert.deepEqual(surplus, [], 'these routes are no more');
});

for (const { name, endpoint } of ROUTES) {
  for (const line of ISOLATION_LINES[name] ?? []) {
    const about = line.about === undefined ? '' : ` (${line.about})`;
    test(`${name}${about}: allowed and refused callers, and the errors`, () => proveLine(endpoint, line));
  }
}

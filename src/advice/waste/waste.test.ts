import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Catalogue, loadCatalogue } from '#catalogue';
import { type LogRow, type PromptReader, createPromptReader } from '#logs';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { PRICE, SCHEMA, type SessionPlan, WastefulSession } from '../../../test/support/wasteful-session.ts';
import { type ProjectWaste, type WasteQuestion, findWaste } from './find-waste.ts';
import type { WasteKind } from './waste.ts';

const CATALOGUE = fileURLToPath(new URL('../../../catalogue', import.meta.url));
const FRESH = 1_000_000n;
const READ = 100_000n;
const OUTPUT = 50_000_000n;
const LONG = 'content '.repeat(500);

let prompts: PromptReader;
let catalogue: Catalogue;

const fresh = shareOpened(() => openFreshDatabase());
before(async () => {
  prompts = createPromptReader({ database: fresh.database });
  const [template] = [...(await loadCatalogue(CATALOGUE)).models.values()];
  const [mapping] = template?.mappings ?? [];
  assert.ok(template && mapping);
  const { modifiers: _, contextLength: __, ...bare } = mapping;
  const mappings = [{ ...bare, modelId: 'tall', providerId: 'acme', price: PRICE }];
  const models = new Map([['tall', { ...template, id: 'tall', mappings }]]);
  catalogue = { providers: new Map(), models, names: new Map([['tall', 'tall']]) };
});

const store = (rows: readonly LogRow[]): Promise<unknown> =>
  fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify(rows)] });

const begin = (projectId: string, sessionId: string, more: Partial<SessionPlan> = {}): WastefulSession =>
  new WastefulSession({ projectId, sessionId, ...more });

function find(
  projectId: string,
  kind: WasteKind,
  more: Partial<WasteQuestion> = {},
): Promise<ProjectWaste[]> {
  const question: WasteQuestion = { filter: { projectId }, tenants: 'all', kinds: [kind], ...more };
  return findWaste({ prompts, catalogue, now: Date.now() }, question);
}

test('a session that repeats a step with the same result is a runaway loop, which costs what answered with repetitions', async () => {
  const session = begin('prj_loop', 'loop').send();
  for (let time = 0; time < 5; time += 1) session.call('Edit', 'a.ts', 'no such text').send();
  const rows = session.call('Read', 'a.ts', 'text').send().end();
  await store(rows);
  const [finding, ...others] = await find('prj_loop', 'runaway_loop');
  assert.deepEqual(others, []);
  // The first request led to the first step, and the last but one to another.
  assert.deepEqual(finding?.requestIds, ['req_loop_1', 'req_loop_2', 'req_loop_3', 'req_loop_4']);
  const wasted = rows.slice(1, 5).map(({ usage }) => {
    const { inputUncached, inputCacheRead } = usage;
    return BigInt(inputUncached) * FRESH + BigInt(inputCacheRead) * READ + OUTPUT;
  });
  assert.equal(
    finding.saved,
    wasted.reduce((sum, cost) => sum + cost, 0n),
  );
  assert.deepEqual(finding.facts, { steps: 1, times: 5 });
  assert.equal(finding.sessionId, 'loop');
});

test('steps and texts that take turns are a loop too', async () => {
  const calls = begin('prj_turns', 'turns').send();
  for (let time = 0; time < 5; time += 1)
    calls.call('Edit', 'a.ts', 'no such text').send().call('Read', 'a.ts', 'text').send();
  const texts = begin('prj_turns', 'texts').send();
  for (let time = 0; time < 5; time += 1) texts.answer('Shall I go on?').say('Go on.').send();
  await store([...calls.end(), ...texts.end()]);
  const found = (await find('prj_turns', 'runaway_loop')).map(({ sessionId, facts }) => ({
    sessionId,
    ...facts,
  }));
  assert.deepEqual(
    found.toSorted((a, b) => a.sessionId!.localeCompare(b.sessionId!)),
    [
      { sessionId: 'texts', steps: 1, times: 5 },
      { sessionId: 'turns', steps: 2, times: 5 },
    ],
  );
});

test('the same call with another result, three times the same, and a request that is retried are no loop', async () => {
  const polling = begin('prj_work', 'polling').send();
  for (let time = 0; time < 9; time += 1) polling.call('Read', 'status', `${time} of 9`).send();
  const thrice = begin('prj_work', 'thrice').send();
  for (let time = 0; time < 3; time += 1) thrice.call('Edit', 'a.ts', 'no such text').send();
  const retried = begin('prj_work', 'retried').send().call('Read', 'a.ts', 'text').send();
  for (let time = 0; time < 9; time += 1) retried.send();
  await store([...polling.end(), ...thrice.end(), ...retried.end()]);
  assert.deepEqual(await find('prj_work', 'runaway_loop'), []);
});

test('a call repeated with the same result costs its tokens fresh once, and from the cache in every later request', async () => {
  const session = begin('prj_reads', 'reads').send();
  for (const path of ['b.ts', 'c.ts'])
    session.call('Read', 'a.ts', LONG).send().call('Grep', path, `found in ${path}`).send();
  await store(session.call('Read', 'a.ts', LONG).send().end());
  const [finding, ...others] = await find('prj_reads', 'repeated_reads');
  assert.deepEqual(others, []);
  assert.deepEqual(finding?.requestIds, ['req_reads_3', 'req_reads_5']);
  const each = BigInt(LONG.length);
  assert.equal(each, 4_000n);
  // The second one in three requests, the third one in the last.
  assert.equal(finding.saved, each * (FRESH + READ + READ) + each * FRESH);
  assert.deepEqual(finding.facts, { calls: 2, tools: ['Read'] });
  assert.equal(finding.requests, 3);
});

test('a file that was read twice, or has changed, or is short, is no repeated read, nor is what a loop reads', async () => {
  const twice = begin('prj_read', 'twice').send();
  for (const path of ['b.ts', 'c.ts'])
    twice.call('Read', 'a.ts', LONG).send().call('Grep', path, path).send();
  const changed = begin('prj_read', 'changed').send();
  for (let time = 0; time < 6; time += 1) changed.call('Read', 'a.ts', `${time}${LONG}`).send();
  const short = begin('prj_read', 'short').send();
  for (const path of ['b.ts', 'c.ts', 'd.ts'])
    short.call('Read', 'a.ts', 'short').send().call('Grep', path, path).send();
  const loop = begin('prj_read', 'again').send();
  for (let time = 0; time < 4; time += 1) loop.call('Read', 'a.ts', LONG).send();
  await store([twice, changed, short, loop].flatMap((session) => session.end()));
  assert.deepEqual(await find('prj_read', 'repeated_reads'), []);
});

const TOOLS = { tools: ['Read', 'Jira', 'Grep'], descriptions: { Jira: 'j'.repeat(1_000) } };

/** Three requests, which name all three tools. */
function work(projectId: string, sessionId: string, second: string): WastefulSession {
  const session = begin(projectId, sessionId, TOOLS).send();
  return session.call('Read', 'a.ts', 'text').send().call(second, 'b.ts', 'text').send();
}

test('a tool that no session calls costs its definition in every request: fresh in the first, from the cache in the others', async () => {
  const sessions = ['u1', 'u2', 'u3'].map((id) => work('prj_unused', id, 'Grep'));
  await store(sessions.flatMap((session) => session.end()));
  const [finding, ...others] = await find('prj_unused', 'unused_tools');
  assert.deepEqual(others, []);
  assert.deepEqual(finding?.facts, { tools: ['Jira'] });
  const length = BigInt('Jira'.length + 1_000 + JSON.stringify(SCHEMA).length);
  assert.equal(finding.saved, 3n * length * (FRESH + READ + READ));
  assert.equal(finding.requests, 9);
  assert.deepEqual(finding.requestIds.slice(0, 3).toSorted(), ['req_u1_0', 'req_u2_0', 'req_u3_0']);
});

test('a tool that one session calls, that is too new, or whose calls end sessions, is not called unused', async () => {
  const called = ['c1', 'c2', 'c3'].map((id, at) => work('prj_called', id, at === 2 ? 'Jira' : 'Grep'));
  const recent = ['n1', 'n2'].map((id) => work('prj_new', id, 'Grep'));
  const ended = ['e1', 'e2', 'e3'].map((id) => work('prj_ended', id, 'Grep'));
  await store([
    ...[...called, ...recent].flatMap((session) => session.end()),
    ...ended.flatMap(({ rows }) => rows),
  ]);
  for (const projectId of ['prj_called', 'prj_new', 'prj_ended'])
    assert.deepEqual(await find(projectId, 'unused_tools'), [], projectId);
});

const RULES = 'r'.repeat(3_000);

test('tools and system that are most of the prompts are reported with their shares and all they cost', async () => {
  const tools = { tools: ['Read'], descriptions: { Read: 'd'.repeat(1_000) }, system: RULES };
  const sessions = Array.from({ length: 10 }, (_, n) => begin('prj_share', `share${n}`, tools).send());
  await store(sessions.flatMap((session) => session.end()));
  const [finding, ...others] = await find('prj_share', 'prompt_share');
  assert.deepEqual(others, []);
  const tool = 'Read'.length + 1_000 + JSON.stringify(SCHEMA).length;
  assert.equal(finding?.saved, 10n * BigInt(tool + RULES.length) * FRESH);
  assert.equal(finding.requests, 10);
  assert.equal(finding.requestIds.length, 10);
  assert.deepEqual(finding.facts, {
    model_id: 'tall',
    tool_percent: 26,
    system_percent: 74,
    tokens_per_request: tool + RULES.length,
  });
});

test('the same tools and system before long conversations, and short ones, are not reported', async () => {
  const long = Array.from({ length: 10 }, (_, n) =>
    begin('prj_long', `long${n}`, { system: RULES }).say(LONG).send(),
  );
  const short = Array.from({ length: 10 }, (_, n) => begin('prj_short', `short${n}`).send());
  await store([...long, ...short].flatMap((session) => session.end()));
  assert.deepEqual(await find('prj_long', 'prompt_share'), []);
  assert.deepEqual(await find('prj_short', 'prompt_share'), []);
});

test('a tenant sees its own sessions, at what it was charged, and none on its own provider keys', async () => {
  const plan = { organizationId: 'org_mine' };
  const mine = begin('prj_mine', 'mine', plan).send();
  const own = begin('prj_mine', 'own', plan).send({ credential: 'own' });
  for (let time = 0; time < 5; time += 1) {
    mine.call('Edit', 'a.ts', 'no such text').send({ customer: '7' });
    own.call('Edit', 'a.ts', 'no such text').send({ credential: 'own' });
  }
  await store([...mine.end(), ...own.end()]);
  const tenants = { organizationId: 'org_mine' };
  const found = await find('prj_mine', 'runaway_loop', { tenants });
  assert.deepEqual(
    found.map(({ sessionId, saved, organizationId }) => ({ sessionId, saved, organizationId })),
    [{ sessionId: 'mine', saved: 28n, organizationId: 'org_mine' }],
  );
  assert.equal((await find('prj_mine', 'runaway_loop')).length, 2);
  assert.deepEqual(await find('prj_mine', 'runaway_loop', { tenants: { organizationId: 'org_other' } }), []);
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Mapping } from '#catalogue';
import { createUsage } from '#canonical';
import { type LastPrompts, createLastPrompts } from '#logs';
import {
  CachedSession,
  createTool,
  findMarkedMapping,
  prose,
  sentenceOf,
  textBlock,
} from '../../../test/support/cached-session.ts';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import { type FreshDatabase, openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { countCached } from './explain-miss.ts';
import { SessionPrompts } from './session-prompts.ts';

let mapping: Mapping;
let fresh: FreshDatabase;
let lastPrompts: LastPrompts;
before(async () => {
  [mapping, fresh] = await Promise.all([findMarkedMapping(), openFreshDatabase()]);
  lastPrompts = createLastPrompts({ database: fresh.database });
});
after(() => fresh[Symbol.asyncDispose]());

/** Stores the last request of a session as its gateway would, and goes on at a process that has seen none. */
async function restart(session: CachedSession, sessionId: string): Promise<void> {
  const caller = { organizationId: 'org_1', projectId: 'prj_1', keyId: 'key_1', keyLabel: 'k' };
  const { provider: providerId, model, lastUsage: usage = createUsage(), stored: promptChain } = session;
  const startedAt = session.nowMs - 10_000;
  const row = createRow(caller, `req_${sessionId}`, {
    sessionId,
    startedAt,
    firstEventMs: 2_000,
    usage,
    providerId,
    promptChain,
    modelId: model,
    externalId: model,
  });
  await fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify([row])] });
  session.prompts = new SessionPrompts();
  await session.prompts.recall(session.session, async () => {
    const place = { organizationId: 'org_1', sessionId, since: startedAt - 60_000 };
    assert.deepEqual(await lastPrompts.find({ ...place, organizationId: 'org_2' }), []);
    return (await lastPrompts.find(place)).map(({ usage: used, ...last }) => ({
      ...last,
      ttlMinutes: last.chain.ttlMinutes,
      ...countCached(used, mapping),
    }));
  });
}

function begin(turns: number): CachedSession {
  const session = new CachedSession(mapping);
  for (let turn = 0; turn < turns; turn += 1) session.ask();
  return session;
}

test('a session that goes on at another process is compared with its row', async () => {
  const session = begin(4);
  await restart(session, 's1');
  assert.equal(sentenceOf(session.ask()), 'none');
  await restart(session, 's2');
  session.tools.push(createTool('mcp__github'));
  session.tools.shift();
  session.wait(11);
  const sentence = '11 minutes idle, ttl 5; tools changed: +mcp__github, -tool (position 4)';
  assert.equal(sentenceOf(session.ask()), sentence);
});

test('of a long session the row knows roughly which turn was rewritten', async () => {
  const session = begin(130);
  await restart(session, 's3');
  assert.equal(sentenceOf(session.ask()), 'none');
  await restart(session, 's4');
  const turn = session.turns[100];
  if (turn) turn.content = [textBlock(prose('other', 300))];
  assert.equal(sentenceOf(session.ask()), 'a turn from 100 to 102 rewritten');
});

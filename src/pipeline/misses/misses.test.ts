import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Mapping } from '#catalogue';
import {
  CachedSession,
  createTool,
  findMarkedMapping,
  prose,
  sentenceOf,
  textBlock,
} from '../../../test/support/cached-session.ts';

let mapping: Mapping;
before(async () => (mapping = await findMarkedMapping()));

/** A session after three inputs, all of which were cached as they should be. */
function begin(): CachedSession {
  const session = new CachedSession(mapping);
  for (let turn = 0; turn < 4; turn += 1) assert.equal(sentenceOf(session.ask()), 'none');
  return session;
}

type Plant = readonly [title: string, change: (session: CachedSession) => void, sentence: string];

const PLANTS: readonly Plant[] = [
  [
    'a tool added at the end',
    (s) => void s.tools.push(createTool('mcp__github')),
    'tools changed: +mcp__github (position 5)',
  ],
  [
    'a tool added at the front',
    (s) => void s.tools.unshift(createTool('mcp__jira')),
    'tools changed: +mcp__jira (position 1)',
  ],
  ['a tool removed', (s) => void s.tools.splice(1, 1), 'tools changed: -Read (position 2)'],
  [
    'a tool described anew',
    (s) => void (s.tools[2] = createTool('Edit', 'Edits.')),
    'tools changed: ~Edit (position 3)',
  ],
  ['tools in another order', (s) => void s.tools.reverse(), 'tools changed: order (position 1)'],
  [
    'a server of tools',
    (s) => void s.tools.push(...['a', 'b', 'c', 'd', 'e'].map((name) => createTool(`mcp__${name}`))),
    'tools changed: +mcp__a, +mcp__b, +mcp__c, 2 more (position 5)',
  ],
  [
    'a date in the system',
    (s) => void (s.system[1] = textBlock(prose('rules of Tuesday, 1 December 2026', 6_000))),
    'system block 2 changed (a date?)',
  ],
  [
    'a word in the system',
    (s) => void (s.system[1] = textBlock(prose('laws of Monday, 23 November 2026', 6_000))),
    'system block 2 changed',
  ],
  [
    'another first block',
    (s) => void (s.system[0] = textBlock('You are a good agent.')),
    'system block 1 changed',
  ],
  [
    'another block between',
    (s) => void s.system.splice(1, 0, textBlock('It is 10:41.')),
    'system block 2 changed',
  ],
  [
    'a turn rewritten',
    (s) => void (s.turns[4]!.content = [textBlock(prose('other', 300))]),
    'turn 5 rewritten',
  ],
  [
    'the first turn rewritten',
    (s) => void (s.turns[0]!.content = [textBlock(prose('reminder', 300))]),
    'turn 1 rewritten',
  ],
  [
    'an answer rewritten',
    (s) => void (s.turns[1]!.content = [textBlock(prose('shorter', 90))]),
    'turn 2 rewritten',
  ],
  ['a turn removed', (s) => void s.turns.splice(2, 2), 'turn 3 rewritten'],
  ['a pause', (s) => s.wait(11), '11 minutes idle, ttl 5'],
  ['a long pause', (s) => s.wait(600), '600 minutes idle, ttl 5'],
  ['another provider', (s) => void (s.provider = 'amazon-bedrock'), 'other provider'],
  ['another model', (s) => void (s.model = 'sonnet'), 'other model'],
  ['another credential', (s) => void (s.credential = 'second'), 'other credential'],
  [
    'thinking turned on',
    (s) => void (s.parameters = { thinking: { type: 'enabled', budget_tokens: 2_000 } }),
    'parameters changed: thinking',
  ],
  [
    'another choice of tools',
    (s) => void (s.parameters = { tool_choice: { type: 'any' } }),
    'parameters changed: tool choice',
  ],
  ['marks left out', (s) => void (s.mark = undefined), 'no marker set'],
  ['marks only at the front', (s) => void (s.markedTurns = 0), 'marker moved'],
  [
    'the cache emptied by the provider',
    (s) => s.cache.clear(),
    'nothing changed; the provider no longer had it',
  ],
  [
    'another tool and another system',
    (s) => {
      s.tools.push(createTool('mcp__github'));
      s.system[0] = textBlock('You are a good agent.');
    },
    'tools changed: +mcp__github (position 5); system block 1 changed',
  ],
  [
    'another provider after a pause',
    (s) => {
      s.provider = 'google-vertex';
      s.wait(7);
    },
    'other provider; 7 minutes idle, ttl 5',
  ],
  [
    'another model with thinking',
    (s) => {
      s.model = 'sonnet';
      s.parameters = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
    },
    'other model; parameters changed: thinking',
  ],
  [
    'everything at once',
    (s) => {
      s.credential = 'second';
      s.wait(20);
      s.tools.pop();
      s.system[1] = textBlock(prose('rules of Tuesday, 1 December 2026', 6_000));
      s.turns[2]!.content = [textBlock(prose('other', 300))];
    },
    'other credential; 20 minutes idle, ttl 5; tools changed: -Grep (position 4); system block 2 changed (a date?); turn 3 rewritten',
  ],
];

for (const [title, change, sentence] of PLANTS)
  test(`a miss after ${title} is explained`, () => {
    const session = begin();
    change(session);
    const miss = session.ask();
    assert.equal(sentenceOf(miss), sentence);
    assert.ok(miss && miss.tokens > 256 && miss.tokens <= 10_000, String(miss?.tokens));
    assert.equal(sentenceOf(session.ask()), session.mark ? 'none' : 'no marker set');
  });

test('a pause of an hour is explained with the ttl of an hour, and a shorter one loses nothing', () => {
  const session = new CachedSession(mapping);
  session.mark = { type: 'ephemeral', ttl: '1h' };
  session.ask();
  session.wait(40);
  assert.equal(sentenceOf(session.ask()), 'none');
  session.wait(65);
  assert.equal(sentenceOf(session.ask()), '65 minutes idle, ttl 60');
});

test('prompts too short for the cache are explained by the minimum of their model', () => {
  const session = new CachedSession(mapping);
  session.system = [textBlock(prose('rules', 2_000))];
  assert.equal(sentenceOf(session.ask()), 'none');
  assert.equal(sentenceOf(session.ask()), 'below 4,096 tokens');
});

test('a miss of a client that sets no marks says so', () => {
  const session = new CachedSession(mapping);
  session.mark = undefined;
  assert.equal(sentenceOf(session.ask()), 'none');
  assert.equal(sentenceOf(session.ask()), 'no marker set');
});

test('a miss of a client whose marks the gateway sets is not for want of marks', () => {
  const session = new CachedSession(mapping);
  session.mark = undefined;
  assert.equal(sentenceOf(session.ask()), 'none');
  session.hasSetMarks = true;
  assert.equal(sentenceOf(session.ask()), 'no marker set'); // the first request had none
  assert.equal(sentenceOf(session.ask()), 'nothing changed; the provider no longer had it');
});

test('a provider that caches by itself has lost a prompt only if it had read one before', () => {
  const session = new CachedSession({ ...mapping, dialect: { ...mapping.dialect, cacheMarks: 'none' } });
  const [silent, cleared] = ['none', 'nothing changed; the provider no longer had it'];
  session.ask();
  session.cache.clear();
  assert.equal(sentenceOf(session.ask()), silent);
  assert.equal(sentenceOf(session.ask()), silent);
  session.cache.clear();
  assert.equal(sentenceOf(session.ask()), cleared);
});

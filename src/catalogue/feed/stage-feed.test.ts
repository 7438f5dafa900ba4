import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInTurns } from '#base';
import { createModelFile } from '../../../test/support/model-file.ts';
import { buildCatalogue } from '../build/build-catalogue.ts';
import type { Mapping } from '../catalogue.ts';
import type { CatalogueFiles, MappingFile, ModelFile } from '../schema/file-schema.ts';
import { resolveModel } from '../names/resolve-model.ts';
import type { Feed } from './feed-document.ts';
import { FeedRefused } from './feed-refused.ts';
import { type FeedState, composeFiles } from './feed-state.ts';
import { type StagedFeed, stageFeed, stageInSteps } from './stage-feed.ts';

const NOW = Date.parse('2026-11-24T10:00:00Z');
const HOUR_MS = 3_600_000;
const NOTICE_MS = 24 * HOUR_MS;

const offer = (provider: string, input: string, more: Partial<MappingFile> = {}): MappingFile => ({
  provider,
  externalId: 'alpha-1',
  capabilities: [],
  price: { input, output: '10' },
  ...more,
});

const BUILT: CatalogueFiles = {
  providers: [
    { id: 'acme', name: 'Acme', format: 'chat', baseUrl: 'https://acme.example/v1' },
    { id: 'base', name: 'Base', format: 'chat', baseUrl: 'https://base.example/v1' },
  ],
  models: [
    createModelFile('alpha', [offer('acme', '1'), offer('base', '2')]),
    createModelFile('old', [offer('acme', '3')]),
  ],
};

const feed = (models: ModelFile[], more: Partial<Feed> = {}): Feed => ({
  schema: 1,
  sequence: 1,
  published: '2026-11-24T09:00:00Z',
  providers: [],
  models,
  ...more,
});

const stage = (published: Feed, before?: FeedState, now = NOW): StagedFeed =>
  stageFeed(published, { built: BUILT, before, now, noticeMs: NOTICE_MS });

function findAt(state: FeedState, name: string, now: number): Mapping | undefined {
  const found = resolveModel(buildCatalogue(composeFiles(BUILT, state, now).files), name, now);
  return found.kind === 'found' ? found.mappings[0] : undefined;
}

/** USD per million tokens; -1 if there is no price. Stored as pico-USD per token, a million times as much. */
const inputAt = (state: FeedState, name: string, now: number): number =>
  Number(findAt(state, name, now)?.price?.parts.inputUncached ?? -1_000_000n) / 1_000_000;

test('a changed price counts from the end of the notice on, to the millisecond', () => {
  const { state, changes } = stage(feed([createModelFile('alpha', [offer('acme', '1.5')])]));
  const from = NOW + NOTICE_MS;
  assert.deepEqual(changes, [
    {
      kind: 'price',
      modelId: 'alpha',
      providerId: 'acme',
      from,
      amounts: [{ name: 'input', before: '1', after: '1.5', isJump: false }],
    },
  ]);
  assert.equal(inputAt(state, 'acme/alpha', NOW), 1);
  assert.equal(inputAt(state, 'acme/alpha', from - 1), 1);
  assert.equal(inputAt(state, 'acme/alpha', from), 1.5);
  assert.equal(composeFiles(BUILT, state, NOW).nextAt, from);
  assert.equal(composeFiles(BUILT, state, from).nextAt, undefined);
});

test('a next price in a feed counts from its day, and is what the following feed is compared with', () => {
  const from = '2026-12-01';
  const nextPrice = { from, price: { input: '4', output: '20' } };
  const introductory = [
    createModelFile('alpha', [offer('acme', '1', { price: { input: '1', output: '10' }, nextPrice })]),
  ];
  const { state } = stage(feed(introductory));
  const start = Date.parse(from);
  assert.equal(inputAt(state, 'acme/alpha', start - 1), 1);
  assert.equal(inputAt(state, 'acme/alpha', start), 4);
  assert.equal(composeFiles(BUILT, state, NOW).nextAt, start);
  const usual = [createModelFile('alpha', [offer('acme', '4', { price: nextPrice.price })])];
  const after = stage(feed(usual, { sequence: 2 }), state, start + HOUR_MS);
  assert.deepEqual(after.changes, []);
  assert.equal(inputAt(after.state, 'acme/alpha', start + HOUR_MS), 4);
});

test('a next price has the notice of any other, and needs the same confirmation', () => {
  const priced = (day: string, input: string): ModelFile[] => {
    const nextPrice = { from: day, price: { input, output: '10' } };
    return [createModelFile('alpha', [offer('acme', '1', { nextPrice })])];
  };
  const soonest = NOW + NOTICE_MS;
  for (const day of ['2026-11-20', '2026-11-25']) {
    const { state, changes } = stage(feed(priced(day, '40')));
    assert.deepEqual(changes, [
      {
        kind: 'price',
        modelId: 'alpha',
        providerId: 'acme',
        from: soonest,
        amounts: [{ name: 'input', before: '1', after: '40', isJump: true }],
      },
    ]);
    assert.equal(inputAt(state, 'acme/alpha', soonest - 1), 1, day);
    assert.equal(inputAt(state, 'acme/alpha', soonest), 40, day);
    for (const now of [NOW + HOUR_MS, soonest - HOUR_MS, soonest + HOUR_MS]) {
      const again = stage(feed(priced(day, '40'), { sequence: 2 }), state, now);
      assert.deepEqual(again.changes, [], day);
      assert.equal(inputAt(again.state, 'acme/alpha', soonest - 1), now < soonest ? 1 : 40, day);
      assert.equal(inputAt(again.state, 'acme/alpha', soonest), 40, day);
    }
  }
});

test('what no feed ever had stays as it is built in', () => {
  const { state } = stage(feed([createModelFile('alpha', [offer('acme', '1.5')])]));
  assert.equal(inputAt(state, 'base/alpha', NOW), 2);
  assert.equal(inputAt(state, 'old', NOW + 2 * NOTICE_MS), 3);
});

test('a feed and an entry may give longer notice than the gateway, never shorter', () => {
  const alpha = (more: Partial<MappingFile>) => [createModelFile('alpha', [offer('acme', '1.5', more)])];
  const later = '2026-12-01T00:00:00Z';
  assert.equal(stage(feed(alpha({}), { from: later })).changes[0]?.from, Date.parse(later));
  const entry = stage(feed(alpha({ priceFrom: '2026-12-31' }), { from: later }));
  assert.equal(entry.changes[0]?.from, Date.parse('2026-12-31'));
  const early = stage(feed(alpha({ priceFrom: '2026-11-01' })));
  assert.equal(early.changes[0]?.from, NOW + NOTICE_MS);
});

test('an announced price keeps its moment when the next feeds repeat it', () => {
  const published = feed([createModelFile('alpha', [offer('acme', '1.5')])]);
  const first = stage(published);
  const again = stage({ ...published, sequence: 2 }, first.state, NOW + 10 * HOUR_MS);
  assert.deepEqual(again.changes, []);
  assert.equal(inputAt(again.state, 'acme/alpha', NOW + NOTICE_MS), 1.5);
  const after = stage({ ...published, sequence: 3 }, again.state, NOW + NOTICE_MS);
  assert.deepEqual(after.changes, []);
  assert.equal(inputAt(after.state, 'acme/alpha', NOW + NOTICE_MS), 1.5);
});

test('a price that is announced anew, or withdrawn, is compared with what counts', () => {
  const first = stage(feed([createModelFile('alpha', [offer('acme', '1.5')])]));
  const soon = NOW + HOUR_MS;
  const other = stage(feed([createModelFile('alpha', [offer('acme', '1.7')])]), first.state, soon);
  assert.deepEqual(other.changes[0]?.amounts, [{ name: 'input', before: '1', after: '1.7', isJump: false }]);
  assert.equal(inputAt(other.state, 'acme/alpha', NOW + NOTICE_MS), 1);
  assert.equal(inputAt(other.state, 'acme/alpha', soon + NOTICE_MS), 1.7);
  const withdrawn = stage(feed([createModelFile('alpha', [offer('acme', '1')])]), first.state, soon);
  assert.equal(inputAt(withdrawn.state, 'acme/alpha', soon + 10 * NOTICE_MS), 1);
});

test('a new model counts at once, and so do other facts', () => {
  const { state, changes } = stage(
    feed([
      createModelFile('alpha', [offer('acme', '1', { contextLength: 5 })]),
      createModelFile('beta', [offer('base', '4')]),
    ]),
  );
  assert.deepEqual(changes, [{ kind: 'added', modelId: 'beta', providerId: 'base', from: NOW, amounts: [] }]);
  assert.equal(inputAt(state, 'beta', NOW), 4);
  assert.equal(findAt(state, 'acme/alpha', NOW)?.contextLength, 5);
});

test('a model that an earlier feed had is shut down by name after the notice, and returns if a feed has it again', () => {
  const both = [
    createModelFile('alpha', [offer('acme', '1')]),
    createModelFile('beta', [offer('base', '4')], { successor: 'alpha' }),
  ];
  const first = stage(feed(both));
  const gone = stage(feed(both.slice(0, 1)), first.state);
  const until = NOW + NOTICE_MS;
  assert.deepEqual(gone.changes, [
    { kind: 'removed', modelId: 'beta', providerId: 'base', from: until, amounts: [] },
  ]);
  assert.equal(inputAt(gone.state, 'beta', until - 1), 4);
  const later = stage(feed(both.slice(0, 1)), gone.state, until);
  assert.deepEqual(later.changes, []);
  const catalogue = buildCatalogue(composeFiles(BUILT, later.state, until).files);
  assert.deepEqual(resolveModel(catalogue, 'beta', until), {
    kind: 'deactivated',
    since: '2026-11-25',
    successor: 'alpha',
  });
  assert.equal(inputAt(stage(feed(both), later.state, until).state, 'beta', until), 4);
});

test('a mapping that is removed from a model is shut down alone', () => {
  const first = stage(feed([createModelFile('alpha', [offer('acme', '1'), offer('base', '2')])]));
  const { state } = stage(feed([createModelFile('alpha', [offer('acme', '1')])]), first.state);
  assert.equal(inputAt(state, 'base/alpha', NOW), 2);
  assert.equal(inputAt(state, 'base/alpha', NOW + NOTICE_MS), -1);
  assert.equal(inputAt(state, 'acme/alpha', NOW + NOTICE_MS), 1);
});

test('more than ten times a price, or a tenth, or nothing, is a jump', () => {
  const jumps = (input: string, more: Partial<MappingFile> = {}): boolean[] =>
    stage(feed([createModelFile('alpha', [offer('acme', input, more)])])).changes.flatMap(({ amounts }) =>
      amounts.map(({ isJump }) => isJump),
    );
  assert.deepEqual(jumps('10'), [false]);
  assert.deepEqual(jumps('10.000001'), [true]);
  assert.deepEqual(jumps('0.1'), [false]);
  assert.deepEqual(jumps('0.09'), [true]);
  assert.deepEqual(jumps('0'), [true]);
  const { price: _, ...unpriced } = offer('acme', '1');
  const { changes } = stage(feed([createModelFile('alpha', [unpriced])]));
  assert.ok(changes[0]?.amounts.every(({ isJump }) => isJump));
  assert.deepEqual(jumps('1', { modifiers: { speed: { values: { fast: { factor: '6' } } } } }), [false]);
});

test('prices of a whole provider are announced like those of a model', () => {
  const tools = [{ tool: 'web_search', per: 'call' as const, usd: '0.01' }];
  const published = feed([createModelFile('alpha', [offer('acme', '1')])], {
    providers: [{ id: 'acme', hostedTools: tools }],
  });
  const { state, changes } = stage(published);
  assert.equal(changes[0]?.modelId, undefined);
  assert.equal(findAt(state, 'acme/alpha', NOW)?.hostedTools, undefined);
  assert.equal(findAt(state, 'acme/alpha', NOW + NOTICE_MS)?.hostedTools?.length, 1);
});

test('a provider that this version does not know is left out by name', () => {
  const published = feed([createModelFile('alpha', [offer('acme', '1'), offer('new-cloud', '2')])]);
  const { state } = stage(published);
  assert.deepEqual(state.unknown, ['new-cloud']);
  assert.equal(inputAt(state, 'acme/alpha', NOW), 1);
});

test('a feed in which one name means two models is refused', () => {
  const published = feed([
    createModelFile('alpha', [offer('acme', '1')], { aliases: ['twin'] }),
    createModelFile('beta', [offer('acme', '1')], { aliases: ['twin'] }),
  ]);
  assert.throws(
    () => stage(published),
    (error) => error instanceof FeedRefused && error.fault === 'invalid' && /twin/.test(error.message),
  );
});

test('a price that would make no catalogue once it counts is refused when it is announced', () => {
  const regional = { priceFactor: '1.001', externalIds: { eu: 'eu.alpha-1' } };
  assert.throws(
    () => stage(feed([createModelFile('alpha', [offer('acme', '0.000001', { regional })])])),
    (error) => error instanceof FeedRefused && error.fault === 'invalid' && /not exact/.test(error.message),
  );
});

test('a model that a feed renames keeps its old name as an alias only', () => {
  const { state } = stage(feed([createModelFile('older', [offer('acme', '3')], { aliases: ['old'] })]));
  assert.equal(findAt(state, 'old', NOW)?.modelId, 'older');
});

test('a feed that has a provider twice, or a model twice at one, is refused by name', () => {
  const twice = createModelFile('alpha', [offer('acme', '1'), offer('acme', '0')]);
  assert.throws(
    () => stage(feed([twice])),
    (error) => error instanceof FeedRefused && /model alpha has the provider acme twice/.test(error.message),
  );
  const providers = [{ id: 'acme' }, { id: 'acme' }];
  assert.throws(
    () => stage(feed([createModelFile('alpha', [offer('acme', '1')])], { providers })),
    (error) => error instanceof FeedRefused && /provider acme is defined twice/.test(error.message),
  );
});

test('a large feed leaves the thread to others while it is compared', async () => {
  const models = Array.from({ length: 5_000 }, (_, index) =>
    createModelFile(`m${index}`, [offer('acme', '1.5'), offer('base', '2.5')]),
  );
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const context = { built: BUILT, before: undefined, now: NOW, noticeMs: NOTICE_MS };
  const { state } = await runInTurns(stageInSteps(feed(models), context));
  isOver = true;
  assert.equal(state.models.length, models.length);
  assert.ok(turns > 2, `${turns} turns`);
});

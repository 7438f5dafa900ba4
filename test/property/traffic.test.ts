import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World, WorldProvider } from '../support/worlds/provider-world.ts';
import { createSteadyWorld, goodBut } from '../support/worlds/steady-world.ts';
import { type WorldRequest, runWorld } from '../support/worlds/world-run.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

for (const stream of [true, false])
  test(`a request a minute (${stream ? 'streams' : 'JSON'}): a silent provider costs time once or twice, then hardly ever, and is found well again`, async () => {
    const world = createSteadyWorld({
      providers: [{ periods: goodBut('silent', HOUR_MS, 3 * HOUR_MS) }, {}],
      gapMs: MINUTE_MS,
      endMs: 4 * HOUR_MS,
      draw: () => ({ stream, promptTokens: 1_000, outputTokens: 100 }),
    });
    const requests = await runWorld(world);
    const silent = requests.filter(({ atMs }) => atMs >= HOUR_MS && atMs < 3 * HOUR_MS);
    assert.ok(silent.every(({ outcome }) => outcome === 'answered'));
    const tried = silent.flatMap(({ called }, at) => (called.includes(0) ? [at] : []));
    assert.ok(tried.filter((at) => at < 10).length <= 4, `the first that tried it: ${tried.join(' ')}`);
    assert.ok(tried.length <= silent.length / 8, `${tried.length} of ${silent.length} tried it`);
    const last = requests.filter(({ atMs }) => atMs >= 3.5 * HOUR_MS);
    assert.ok(last.every(({ answeredBy }) => answeredBy === 0));
  });

/** The share of streams of a minute that begin at the cheapest, which fails this often. */
async function routedTo(provider: { cuts?: number; failures?: number }): Promise<number> {
  const requests = await runWorld(
    createSteadyWorld({
      providers: [provider, {}],
      gapMs: 500,
      endMs: HOUR_MS / 2,
      draw: () => ({ stream: true, promptTokens: 1_000, outputTokens: 6_000 }),
    }),
  );
  return requests.filter(({ home }) => home === 0).length / requests.length;
}

test('long streams: a provider that fails or cuts one in twenty is hardly avoided, one that does three in ten is', async () => {
  const shares = {
    failsSeldom: await routedTo({ failures: 0.05 }),
    failsOften: await routedTo({ failures: 0.3 }),
    cutsSeldom: await routedTo({ cuts: 0.05 }),
    cutsOften: await routedTo({ cuts: 0.3 }),
  };
  assert.ok(shares.failsSeldom > 0.9 && shares.cutsSeldom > 0.8, JSON.stringify(shares));
  assert.ok(shares.failsOften < 0.2 && shares.cutsOften < 0.2, JSON.stringify(shares));
});

/** Sends JSON alone to three providers; returns the share that the cheapest answers after two minutes. */
async function jsonShare(
  cheapest: Partial<WorldProvider>,
  draw: NonNullable<World['draw']>,
): Promise<number> {
  const world = createSteadyWorld({
    providers: [cheapest, {}, {}],
    gapMs: 1_000,
    endMs: 20 * MINUTE_MS,
    draw,
  });
  const late = (await runWorld(world)).filter(({ atMs }) => atMs > 2 * MINUTE_MS);
  return late.filter(({ answeredBy }) => answeredBy === 0).length / late.length;
}

test('JSON alone: a provider several times slower loses its traffic', async () => {
  const draw = (random: () => number) => ({
    stream: false,
    promptTokens: 1_000,
    outputTokens: random() < 0.2 ? 1_500 : 20 + Math.floor(random() * 200),
  });
  for (const [slowness, most] of [
    [10, 0.1],
    [5, 0.15],
  ] as const) {
    const share = await jsonShare({ firstMs: 500 * slowness, perTokenMs: 10 * slowness }, draw);
    assert.ok(share < most, `${slowness} times slower: ${share}`);
  }
});

test('JSON alone: long answers and prompts do not make a provider slow', async () => {
  const draw = (random: () => number) => ({
    stream: false,
    promptTokens: random() < 0.1 ? 60_000 : 500,
    outputTokens: random() < 0.3 ? 1_500 : 20 + Math.floor(random() * 100),
  });
  const share = await jsonShare({}, draw);
  assert.ok(share > 0.98, String(share));
});

test('JSON alone, of very different lengths: a provider that falls silent is noticed soon, and calls to good ones are not repeated', async () => {
  for (const gapMs of [100, 300, 1_000]) {
    const world = createSteadyWorld({
      providers: [{ periods: goodBut('silent', 3 * MINUTE_MS, HOUR_MS) }, {}, {}],
      gapMs,
      endMs: 6 * MINUTE_MS,
      draw: (random) => ({
        stream: false,
        promptTokens: 1_000,
        outputTokens: random() < 0.2 ? 1_500 : 20 + Math.floor(random() * 200),
      }),
    });
    const requests = await runWorld(world);
    const isSilent = ({ atMs }: WorldRequest): boolean => atMs >= 3 * MINUTE_MS;
    const lost = requests.filter(({ outcome }) => outcome !== 'answered').length;
    assert.ok(lost <= 4, `a request each ${gapMs} ms: ${lost} lost`);
    const moved = requests.find((request) => isSilent(request) && request.home !== 0);
    assert.ok(moved && moved.atMs < 3.25 * MINUTE_MS, `moved at ${moved?.atMs}`);
    const good = requests.filter((request) => !isSilent(request));
    const twice = good.filter(({ called, endedMs }) => called.length > 1 && endedMs < 3 * MINUTE_MS).length;
    assert.ok(twice <= good.length * 0.05, `${twice} of ${good.length} called twice`);
  }
});

/** Small prompts, and now and then one of 100,000 to 200,000 tokens, which takes 10 to 20 s to read. */
function createPromptWorld(periods: WorldProvider['periods'], endMs: number): World {
  return createSteadyWorld({
    providers: [{ perPromptTokenMs: 0.1, periods }, { perPromptTokenMs: 0.1 }],
    gapMs: 5_000,
    endMs,
    draw: (random) => ({
      stream: true,
      promptTokens: random() < 0.1 ? 100_000 + 100_000 * random() : 3_000 * random(),
      outputTokens: 200,
    }),
  });
}

test('prompts of all sizes: a long one gets no needless rival, a short one is not awaited as long as a long one', async () => {
  const good = await runWorld(createPromptWorld(goodBut('good', 0, 1), 30 * MINUTE_MS));
  const long = good.filter(({ ask }) => (ask?.promptTokens ?? 0) > 50_000);
  const rivals = long.filter(({ called }) => called.length > 1).length;
  assert.ok(rivals <= long.length / 50, `${rivals} of ${long.length} have a rival`);
  const silent = createPromptWorld(goodBut('silent', 20 * MINUTE_MS, 21 * MINUTE_MS), 21 * MINUTE_MS);
  const first = (await runWorld(silent)).find(
    ({ atMs, ask }) => atMs >= 20 * MINUTE_MS && (ask?.promptTokens ?? 0) < 50_000,
  );
  assert.ok(first && first.endedMs - first.atMs < 8_000, JSON.stringify(first));
});

test('streams of which one in five thinks for 20 to 90 s make no provider slow, and hardly any has a rival', async () => {
  const requests = await runWorld(
    createSteadyWorld({
      providers: [{}, {}],
      gapMs: 200,
      endMs: 10 * MINUTE_MS,
      patienceMs: HOUR_MS,
      draw: (random) => ({
        stream: true,
        promptTokens: 1_000,
        outputTokens: 200,
        thinkMs: random() < 0.2 ? 20_000 + 70_000 * random() : 0,
      }),
    }),
  );
  const share = (isSo: (request: WorldRequest) => boolean): number =>
    requests.filter(isSo).length / requests.length;
  const atCheapest = share(({ home }) => home === 0);
  const twice = share(({ called }) => called.length > 1);
  assert.ok(atCheapest > 0.95 && twice < 0.06, `${atCheapest} at the cheapest, ${twice} called twice`);
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { answer, overloaded } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const CHAT = '/v1/chat/completions';
const HELLO = { max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] };
const USERS = Array.from({ length: 30 }, (_, number) => `user-${number}`);

let providers: TwoProviders;
let gateway: Gateway;
let books: Books;
let model: string;
let other: string;
let canary: string;

before(async () => {
  providers = await TwoProviders.start();
  [model, canary] = [providers.takeShared(), providers.takeShared()];
  other = providers.takeAlone();
  const routing = `routing:
  experiments:
    - { name: provider, model: ${model}, by: end-user, variants: [{ name: b, to: second/${model}, percent: 50 }] }
    - { name: canary, model: ${canary}, by: key, variants: [{ name: new, to: ${other}, percent: 100 }] }
`;
  gateway = await startGateway({ config: `${routing}${providers.config}` });
  books = await openBooks(gateway.dataDir);
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await providers[Symbol.asyncDispose]();
});

async function ask(members: Record<string, unknown>) {
  const body = { ...HELLO, ...members };
  const response = await gateway.post(CHAT, body);
  assert.equal(response.status, 200, await response.clone().text());
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  const calls = row.attempts.map(({ providerId, externalId }) => `${providerId}/${externalId}`);
  const [first] = row.attempts;
  return { calls: calls.join(' '), reason: first?.reason, experiment: first?.experiment, row };
}

test('each end user keeps a variant, and both variants are used', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const seen = new Map<string, string>();
  for (const user of USERS) seen.set(user, (await ask({ model, user })).calls);
  assert.deepEqual(new Set(seen.values()), new Set([`first/${model}`, `second/${model}`]));
  for (const user of USERS.slice(0, 10)) {
    const { calls, experiment, reason } = await ask({ model, user });
    assert.equal(calls, seen.get(user));
    const isVariant = calls === `second/${model}`;
    assert.equal(experiment, isVariant ? 'provider/b' : 'provider/control');
    assert.equal(reason, isVariant ? 'experiment' : 'cheapest');
  }
});

test('a canary is another model at its own price; where it fails, the requested one answers', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  const { calls, row } = await ask({ model: canary });
  assert.equal(calls, `first/${other}`);
  assert.deepEqual([row.requestedModel, row.modelId], [canary, other]);
  providers.script(overloaded());
  assert.equal((await ask({ model: canary })).calls, `first/${other} first/${canary} second/${canary}`);
});

test('requests that choose themselves, and those that may not use a variant, take no part', async () => {
  providers.script(answer({ text: 'first', chunks: 1 }));
  for (const user of USERS.slice(0, 8)) {
    const pinned = await ask({ model: `first/${model}`, user });
    assert.deepEqual([pinned.calls, pinned.experiment], [`first/${model}`, undefined]);
    const chosen = await ask({ model, user, provider: { only: ['first'] } });
    assert.deepEqual([chosen.calls, chosen.experiment], [`first/${model}`, undefined]);
  }
  const { stdout } = await gateway.cli('keys', 'list', '--json');
  const [key] = (JSON.parse(stdout) as { data: { id: string }[] }).data;
  const rule = await gateway.cli('rules', 'add', '--key', key?.id ?? '', 'deny-providers', 'second');
  assert.equal(rule.code, 0, rule.stderr);
  const isDenied = async (): Promise<boolean> =>
    (await gateway.post(CHAT, { ...HELLO, model: `second/${model}` })).status === 403;
  await until('the rule holds', isDenied);
  for (const user of USERS.slice(0, 8)) {
    const { calls, experiment } = await ask({ model, user });
    assert.deepEqual([calls, experiment], [`first/${model}`, undefined]);
  }
});

test('`experiments` compares the variants', async () => {
  const { stdout } = await gateway.cli('experiments');
  const { data } = JSON.parse(stdout) as { data: Record<string, unknown>[] };
  assert.deepEqual(
    data.map(({ experiment, variant }) => `${String(experiment)} ${String(variant)}`),
    ['canary new', 'provider b', 'provider control'],
  );
  const [, b, control] = data;
  assert.equal(Number(b?.['requests']) + Number(control?.['requests']), USERS.length + 10);
  assert.equal(b?.['answered'], b?.['requests']);
  assert.ok(Number(b?.['customer_cost']) > 0);
});

test('`route explain` has the rules, the routing and the experiments of a key or project', async () => {
  interface Explained {
    first: string | null;
    experiment: { name: string; variant: string | null } | null;
    candidates: { provider: string; model: string; reason: string | null }[];
  }
  const explain = async (name: string, ...options: string[]): Promise<Explained> =>
    (await gateway.run(
      'route',
      'explain',
      name,
      '--config',
      gateway.configFile,
      ...options,
    )) as unknown as Explained;
  const { id } = await gateway.createKey('--label', 'explained');
  const unknown = await explain(canary);
  assert.deepEqual([unknown.experiment?.variant, unknown.candidates[0]?.model], [null, canary]);
  const tried = await explain(canary, '--key', id);
  assert.deepEqual([tried.first, tried.experiment?.variant], ['experiment', 'new']);
  const places = tried.candidates.map(({ provider, model: name }) => `${provider}/${name}`);
  assert.equal(places[0], `first/${other}`);
  assert.deepEqual(new Set(places.slice(1)), new Set([`first/${canary}`, `second/${canary}`]));
  await gateway.run('keys', 'routing', id, '--order', 'second', '--fallback-models', other);
  const ordered = await explain(model, '--key', id);
  assert.deepEqual([ordered.first, ordered.experiment?.variant], ['order', null]);
  assert.deepEqual(
    ordered.candidates.map(({ provider, model: name }) => `${provider}/${name}`),
    [`second/${model}`, `first/${model}`, `first/${other}`],
  );
  await gateway.run('rules', 'add', '--project', gateway.line.project_id, 'deny-providers', 'second');
  const ruled = await explain(model, '--project', gateway.line.project_id);
  assert.equal(ruled.candidates.find(({ reason }) => reason === null)?.provider, 'first');
  assert.match(ruled.candidates.find(({ provider }) => provider === 'second')?.reason ?? '', /project/);
  const lost = await gateway.cli('route', 'explain', model, '--key', 'key_nobody');
  assert.deepEqual(
    [lost.code, /"key_nobody" is neither the id nor the name of a key/.test(lost.stderr)],
    [1, true],
  );
});

test('an experiment that contradicts itself is refused with its place', async () => {
  const variants = '[{ name: a, to: m, percent: 60 }, { name: a, to: n, percent: 50 }]';
  const config = `routing: { experiments: [{ name: x, model: m, variants: ${variants} }] }\n`;
  const folder = createTemporaryFolder('sluice-experiments-');
  const file = `${folder.path}/sluice.yaml`;
  writeFileSync(file, config);
  const { code, stdout } = await gateway.cli('config', 'check', '--config', file);
  folder.remove();
  assert.equal(code, 1);
  assert.match(stdout, /the names of variants must differ/);
  assert.match(stdout, /110 percent/);
});

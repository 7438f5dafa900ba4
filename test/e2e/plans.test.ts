import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type JsonObject, formatUsd, parseUsd } from '#base';
import { runCommand } from '../support/command-line.ts';
import { type InProcessGateway, keepPrices, openInProcess } from '../support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { answer } from '../support/upstream-replies.ts';

let upstream: MockUpstream;
let gateway: InProcessGateway;

before(async () => {
  upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'one two three', chunks: 3 }) });
  const model = (id: string, output: string) =>
    `      - { id: ${id}, contextLength: 100000, maxOutput: 1000, price: { input: "3", output: "${output}" } }`;
  gateway = await openInProcess({
    config: [
      'plans:',
      '  lite: { credits: "0.01", premiumPercent: "50" }',
      '  premiumFrom: { output: "20" }',
      'providers:',
      '  - id: mock',
      '    format: chat',
      `    baseUrl: ${upstream.baseUrl}`,
      '    apiKey: mock-key',
      '    models:',
      model('plain', '15'),
      model('fine', '20'),
      '',
    ].join('\n'),
  });
  await keepPrices(gateway.database, gateway.catalogue);
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

const config = (): string[] => ['--config', gateway.configFile];

const run = (...args: string[]): Promise<JsonObject> => gateway.run(...args);

async function createKey(...options: string[]): Promise<{ organizationId: string; authorization: string }> {
  const { id: organizationId } = (await run('orgs', 'create', 'Acme')) as { id: string };
  const project = (await run('projects', 'create', '--org', organizationId, 'web')) as { id: string };
  const { authorization } = await gateway.createKey('--project', project.id, ...options);
  return { organizationId, authorization };
}

/** More than the plan and the recurring limit of these tests pay for. */
const LONG = 'word '.repeat(2_000);

const ask = (authorization: string, model: string, content = 'hello'): Promise<Response> =>
  gateway.post(
    '/v1/chat/completions',
    { model, max_tokens: 10, messages: [{ role: 'user', content }] },
    { authorization },
  );

async function readKey(authorization: string): Promise<Record<string, string | null>> {
  const response = await gateway.request('/v1/key', { headers: { authorization } });
  return ((await response.json()) as { data: Record<string, string | null> }).data;
}

test('an organization subscribes, uses its plan, is refused beyond it, overflows, and changes its plan', async () => {
  const { organizationId, authorization } = await createKey();
  const set = (...args: string[]) => run('plans', 'set', '--org', organizationId, ...args, ...config());
  const plan = await set('--plan', 'lite');
  assert.deepEqual(
    [plan['plan'], plan['price'], plan['credits_limit'], plan['premium_weekly_limit'], plan['overflow']],
    ['lite', '29', '0.01', '0.005', false],
  );
  assert.equal((await ask(authorization, 'plain')).status, 200);
  assert.equal((await readKey(authorization))['devPlanPremiumWeekResetsAt'], null, '15 is below 20 here');
  assert.equal((await ask(authorization, 'fine')).status, 200);
  const used = await readKey(authorization);
  assert.ok(used['devPlanPremiumWeekResetsAt']);
  assert.equal(used['devPlanCreditsUsed'], used['usage']);

  const refused = await ask(authorization, 'plain', LONG);
  assert.equal(refused.status, 402);
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  assert.equal(error.code, 'plan_credits_exhausted');
  assert.ok(error.message.includes(plan['cycle_ends_at'] as string), error.message);

  const pay = () => run('credits', 'add', '--org', organizationId, '5', '--id', 'invoice-1');
  assert.equal((await pay())['balance'], '5');
  assert.equal((await pay())['balance'], '5', 'once');
  await set('--plan', 'lite', '--overflow');
  assert.equal((await ask(authorization, 'plain', LONG)).status, 200);
  assert.equal((await readKey(authorization))['devPlanCreditsUsed'], used['devPlanCreditsUsed']);

  await set('--plan', 'max', '--no-overflow');
  const status = await run('plans', 'show', '--org', organizationId);
  assert.deepEqual([status['plan'], status['credits_used']], ['max', used['devPlanCreditsUsed']]);
  const show = () =>
    runCommand(['plans', 'show', '--org', organizationId, '--data-dir', gateway.dataDir], {
      DATABASE_URL: gateway.databaseUrl,
    });
  assert.match((await show()).stdout, /is on plan max at [\d.]+ USD a month.*\n.*credits: .* USD used/);
  await set('--plan', 'none');
  assert.equal((await show()).stdout, `${organizationId} has no plan\n`);
  assert.equal((await run('plans', 'show', '--org', organizationId))['plan'], 'none');
  assert.equal((await readKey(authorization))['devPlan'], 'none');
  assert.deepEqual(await run('ledger', 'check'), {
    object: 'ledger_check',
    ok: true,
    differences: [],
    waiting: 0,
    lost: '0',
  });
});

test('a key with a recurring limit reports its reset time', async () => {
  const { authorization } = await createKey('--recurring', '0.001/hour');
  let refused = await ask(authorization, 'plain');
  for (let count = 1; refused.status === 200 && count < 100; count += 1)
    refused = await ask(authorization, 'plain');
  assert.equal(refused.status, 402);
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  assert.equal(error.code, 'key_limit_reached');
  assert.match(error.message, /recurring limit of 0\.001 USD per hour.*resets at \d{4}-\d\d-\d\dT/);
  const retryAfter = Number(refused.headers.get('retry-after'));
  assert.ok(retryAfter > 3_000 && retryAfter <= 3_600, String(retryAfter));
});

test('a bill is explained: every unit × price = amount, and their sum is what was paid', async () => {
  const { authorization } = await createKey();
  const response = await ask(authorization, 'plain');
  await response.text();
  const requestId = response.headers.get('x-request-id') ?? '';
  const explained = await run('ledger', 'explain', requestId);
  const lines = explained['lines'] as {
    part: string;
    units: number;
    price: string;
    per: number;
    amount: string;
  }[];
  let sum = 0n;
  for (const { units, price, per, amount } of lines) {
    assert.equal(formatUsd(((parseUsd(price) ?? 0n) * BigInt(units)) / BigInt(per)), amount);
    sum += parseUsd(amount) ?? 0n;
  }
  assert.deepEqual(
    lines.map(({ part, price }) => [part, price]),
    [
      ['input_uncached', '3'],
      ['output_text', '15'],
    ],
  );
  assert.equal(explained['cost'], formatUsd(sum));
  assert.equal((await readKey(authorization))['usage'], formatUsd(sum));
});

test('wrong input gets one sentence', async () => {
  const cases: [string[], RegExp][] = [
    [
      ['plans', 'set', '--org', 'org_none', '--plan', 'pro'],
      /"org_none" is neither the id nor the name of an organization/,
    ],
    [['plans', 'set', '--org', 'org_none', '--plan', 'ultra'], /Allowed choices are lite, pro, max, none/],
    [['plans', 'show', '--org', 'org_none'], /"org_none" is neither the id nor the name of an organization/],
    [['keys', 'create', '--recurring', '5'], /such as 5\/day/],
    [['keys', 'create', '--recurring', '5/year'], /such as 5\/day/],
    [
      ['projects', 'create', '--org', 'org_none', 'x'],
      /"org_none" is neither the id nor the name of an organization/,
    ],
    [['ledger', 'explain', 'req_none'], /no such request/],
  ];
  const results = await Promise.all(cases.map(([args]) => gateway.cli(...args)));
  for (const [index, [, sentence]] of cases.entries()) {
    assert.notEqual(results[index]?.code, 0);
    assert.match(results[index]?.stderr ?? '', sentence);
  }
});

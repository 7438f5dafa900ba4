import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runReplay } from '#app';
import type { JsonObject } from '#base';
import { parseUsd } from '#base';
import { createLogs, createPayloads } from '#logs';
import { type InProcessGateway, type TestAccount, openInProcess } from '../support/in-process.ts';
import type { MockUpstream } from '../support/mock-upstream.ts';
import {
  REPLAY_CASES as CASES,
  type ReplayCase,
  chat,
  markerOf,
  messages,
  responses,
} from '../support/replay-cases.ts';
import type { AnswerPlan } from '../support/upstream-answers.ts';
import { answer, fail, haltedAnswer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const provider = (id: string, format: string, price: string): string =>
  [
    `  - { id: ${id}, format: ${format}, baseUrl: BASE, apiKey: mock-key, cancellation: all, models: [`,
    `      { id: ${id}-model, contextLength: 100000, maxOutput: 2000, price: ${price} }] }`,
  ].join('\n');

let upstream: MockUpstream;
let gateway: InProcessGateway;
let customer: TestAccount;
/** What the customer's project has kept, by the marker of the request. */
const kept = new Map<string, string>();

before(async () => {
  const providers = [
    provider('old', 'chat', '{ input: "3", output: "15" }'),
    provider('new', 'messages', '{ input: "1", output: "5" }'),
  ];
  gateway = await openInProcess({
    config: ({ baseUrl }) => `providers:\n${providers.join('\n')}\n`.replaceAll('BASE', baseUrl),
  });
  ({ upstream } = gateway);
  customer = await gateway.createAccount({ credits: parseUsd('10')!, limit: parseUsd('5')! });
  await gateway.accounts.directory.updateProject(customer.projectId, { payloadDays: 7 });
  for (const { path, body, was, now } of CASES) {
    const marker = markerOf(body);
    script('old-model', marker, was);
    script('new-model', marker, now);
    await send(marker, path, body);
  }
  await waitForPayloads(CASES.length);
});
after(() => gateway[Symbol.asyncDispose]());

function script(model: string, marker: string, plan: AnswerPlan): void {
  upstream.script({
    match: ({ body, rawBody }) => body['model'] === model && rawBody.includes(`"${marker}"`),
    reply: answer(plan),
  });
}

async function send(marker: string, path: string, body: JsonObject): Promise<void> {
  const response = await gateway.post(path, body, {
    authorization: `Bearer ${customer.apiKey}`,
    'x-gateway-session': 'the-session',
    'x-gateway-tags': 'team=search',
  });
  await response.text();
  kept.set(marker, response.headers.get('x-request-id') ?? '');
}

/** They are written after the answer. */
async function waitForPayloads(count: number): Promise<void> {
  await until('the payloads are kept', async () => {
    const { rows } = await gateway.database.query<{ n: number }>({
      text: 'SELECT count(*)::int AS n FROM request_payload',
    });
    return rows[0]?.n === count;
  });
}

const replay = (...args: string[]) =>
  gateway.cli(
    'replay',
    '--config',
    gateway.configFile,
    '--url',
    gateway.url,
    '--model',
    'new-model',
    ...args,
  );

/** All that the customer is billed by, as the operator sees it. */
async function readCustomer(): Promise<object> {
  const { directory } = gateway.accounts;
  const [key] = await directory.listKeys({ organizationId: customer.organizationId });
  const organization = await directory.getOrganization(customer.organizationId);
  const usage = await gateway.run('usage', '--org', customer.organizationId, '--by', 'session');
  const session = await gateway.run('sessions', 'show', 'the-session');
  return { organization, limit: key?.limit, usage: [key?.usage, usage], session };
}

async function findReplays(): Promise<{ id: string; keys: number; usage: bigint } | undefined> {
  const { directory } = gateway.accounts;
  const found = (await directory.listOrganizations()).find(({ name }) => name === 'Sluice replays');
  if (!found) return undefined;
  const keys = await directory.listKeys({ organizationId: found.id });
  return { id: found.id, keys: keys.length, usage: found.usage };
}

interface Side {
  request_id: string;
  model_id: string;
  cost: string;
  output_tokens: number;
}
interface Report extends JsonObject {
  id: string;
  spent: string;
  end: { reason: string } | null;
  data: {
    was: Side & JsonObject;
    now: Side & JsonObject;
    tools: string;
    words_in_common: number;
    diff: string;
  }[];
  failed: { request_id: string; code: string }[];
  skipped: { request_id: string; reason: string }[];
  unsent: { request_id: string }[];
}

const sum = (sides: readonly Side[]): bigint =>
  sides.reduce((total, { cost }) => total + parseUsd(cost)!, 0n);

test('a dry run sends nothing, creates nothing, and says what would be sent and what it may cost', async () => {
  const before = [upstream.truths.length, await readCustomer()];
  const { code, json, stderr } = await replay('--session', 'the-session', '--dry-run');
  assert.equal(code, 0, stderr);
  const plan = json as unknown as {
    data: { request_id: string; cost: string }[];
    estimate: { cost: string; actual_cost: string }[];
  };
  assert.deepEqual(plan.data.map(({ request_id: id }) => id).sort(), [...kept.values()].sort());
  const [line] = plan.estimate;
  const was = plan.data.reduce((total, { cost }) => total + parseUsd(cost)!, 0n);
  assert.equal(parseUsd(line?.actual_cost ?? ''), was);
  assert.equal(parseUsd(line?.cost ?? '')! * 3n, was, 'the new model costs a third');
  assert.deepEqual([upstream.truths.length, await readCustomer()], before);
  assert.equal(await findReplays(), undefined);
});

test('whatever names a request selects it for a replay', async () => {
  const planned = async (...filter: string[]): Promise<number> => {
    const { json, stderr } = await replay('--dry-run', ...filter);
    return (json as { data?: object[] } | undefined)?.data?.length ?? assert.fail(stderr);
  };
  assert.equal(await planned('--tag', 'team=search'), CASES.length);
  assert.equal(await planned('--provider', 'old', '--session', 'the-session'), CASES.length);
  for (const option of ['client', 'user', 'agent', 'run-id', 'turn-id'])
    assert.equal(await planned(`--${option}`, 'another', '--tag', 'team=search'), 0, option);
});

test('every format, streamed or not, is asked again at the ledger’s price, and counts for no customer', async () => {
  const before = await readCustomer();
  upstream.forget();
  const { code, json, stderr } = await replay('--session', 'the-session');
  assert.equal(code, 0, stderr);
  const report = json as Report;
  assert.deepEqual([report.failed, report.skipped, report.unsent, report.end], [[], [], [], null]);
  assert.equal(report.data.length, CASES.length);
  for (const { body, tools, words } of CASES) {
    const marker = markerOf(body);
    const found = report.data.find(({ was }) => was.request_id === kept.get(marker));
    assert.ok(found, marker);
    assert.deepEqual([found.tools, found.words_in_common], [tools, words], marker);
    assert.equal(found.diff === '', tools !== 'same_tools' && tools !== 'different' && words === 1, marker);
    const [was, now] = [
      await gateway.waitForRow(found.was.request_id),
      await gateway.waitForRow(found.now.request_id),
    ];
    assert.deepEqual([now.modelId, now.stream, now.format], ['new-model', was.stream, was.format], marker);
    assert.equal(parseUsd(found.was.cost), BigInt(was.provider), marker);
    assert.equal(parseUsd(found.now.cost), BigInt(now.provider), marker);
    assert.ok(BigInt(now.customer) > 0n);
    assert.deepEqual(now.tags, { replay: report.id, replay_of: was.requestId }, marker);
    assert.deepEqual(
      [now.clientRequestId, now.sessionId],
      [was.requestId, `${report.id}/the-session`],
      marker,
    );
  }
  assert.deepEqual((report['summary'] as JsonObject)['tools'], {
    same: 3,
    same_tools: 1,
    different: 2,
    none: 2,
  });
  assert.equal((report['summary'] as JsonObject)['tool_agreement'], 0.5);
  const replays = await findReplays();
  assert.equal(parseUsd(report.spent), sum(report.data.map(({ now }) => now)));
  assert.equal(replays?.usage, parseUsd(report.spent), 'as the ledger has it');
  assert.equal((await gateway.run('ledger', 'check'))['ok'], true);
  assert.equal(replays?.keys, 0, 'the key is deleted');
  assert.deepEqual(await readCustomer(), before);
  const order = upstream.truths.map(({ rawBody }) =>
    CASES.findIndex(({ body }) => rawBody.includes(`"${markerOf(body)}"`)),
  );
  assert.deepEqual(order, [...CASES.keys()], 'the turns of a session one after another');
});

test('the budget ends a replay, and is not overspent', async () => {
  const { code, json } = await replay('--session', 'the-session', '--budget', '0.003');
  const report = json as Report;
  assert.equal(report.end?.reason, 'budget');
  assert.ok(report.data.length > 0 && report.unsent.length > 0, JSON.stringify(report));
  assert.equal(report.data.length + report.unsent.length, CASES.length);
  assert.ok(parseUsd(report.spent)! <= parseUsd('0.003')!);
  assert.equal(code, 0);
  assert.equal((await findReplays())?.keys, 0);
});

test('what cannot be replayed is skipped and named', async () => {
  const stored = await gateway.post(
    '/v1/responses',
    { model: 'old-model', input: 'first' },
    { authorization: `Bearer ${customer.apiKey}` },
  );
  const { id } = (await stored.json()) as { id: string };
  upstream.script({ match: { marker: 'breaks' }, reply: fail(400, 'invalid_request_error') });
  const wrong: Record<string, Pick<ReplayCase, 'path' | 'body'>> = {
    'continues a stored response': responses('next', { previous_response_id: id }),
    'no complete answer (client_error)': chat('breaks'),
    'asks for several answers': chat('twice', { n: 2 }),
    'longer than the part that is kept': chat('long', { user: 'x'.repeat(1_100_000) }),
    'not a text generation': { path: '/v1/messages/count_tokens', body: messages('count').body },
    'credentials in it are not kept': chat('masked', {
      tools: [
        {
          type: 'function',
          function: {
            name: 'fetch',
            parameters: { type: 'object', properties: { key: { type: 'string', api_key: 'secret' } } },
          },
        },
      ],
    }),
  };
  for (const [marker, { path, body }] of Object.entries(wrong)) await send(marker, path, body);
  await waitForPayloads(CASES.length + 1 + Object.keys(wrong).length - 1);
  const elsewhere = await gateway.post('/v1/chat/completions', chat('other').body);
  await elsewhere.text();
  kept.set('no payload kept', elsewhere.headers.get('x-request-id') ?? '');
  const names = [...Object.keys(wrong), 'no payload kept'];
  upstream.forget();
  const { code, json } = await replay(...names.flatMap((name) => ['--request', kept.get(name) ?? '']));
  const report = json as Report;
  assert.deepEqual(
    report.skipped.map(({ reason }) => reason),
    names,
  );
  assert.deepEqual([code, report.data, upstream.truths.length], [1, [], 0]);
});

test('content goes to no provider that the customer’s rules exclude', async () => {
  const rule = await gateway.accounts.directory.addRule({
    layer: 'project',
    subjectId: customer.projectId,
    type: 'deny-providers',
    values: ['new'],
  });
  upstream.forget();
  const { json } = await replay('--session', 'the-session', '--key', customer.keyId);
  await gateway.accounts.directory.removeRule(rule.id);
  const reasons = new Set((json as Report).skipped.map(({ reason }) => reason));
  assert.ok(reasons.has('access rules allow no provider of the model'));
  assert.deepEqual([(json as Report).data, upstream.truths.length], [[], 0]);
});

test('an interrupted replay deletes its key and says what was not sent', async () => {
  const { promise: never } = Promise.withResolvers();
  upstream.script({ match: { model: 'new-model' }, reply: haltedAnswer(never) });
  upstream.forget();
  const stop = new AbortController();
  const { accounts, database } = gateway;
  const stores = {
    accounts,
    database,
    logs: createLogs({ database }),
    payloads: createPayloads({ database }),
  };
  const origin = { flags: { dataDir: gateway.dataDir, config: gateway.configFile } };
  const filter = { sessionId: 'the-session', model: 'old-model' };
  const report = runReplay(
    { stores, origin },
    { model: 'new-model', budget: parseUsd('1')!, filter, requestIds: [], most: 3 },
    { url: gateway.url, concurrency: 2, hasDiffs: false, signal: stop.signal, onProgress: () => undefined },
  );
  await upstream.waitForRequests(1);
  assert.equal((await findReplays())?.keys, 1);
  stop.abort();
  const { end, unsent, compared } = await report;
  assert.deepEqual([end?.reason, unsent.length, compared.length], ['interrupted', 3, 0]);
  assert.equal((await findReplays())?.keys, 0);
});

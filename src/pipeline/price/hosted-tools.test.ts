import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { CanonicalRequest, Tool } from '#canonical';
import type { HostedTool, Mapping } from '#catalogue';
import type { GatewayError } from '#errors';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import type { Ports } from '../request/ports.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { planTools } from './hosted-tools.ts';

const priceOf = (tool: string, facts: Partial<HostedTool> = {}): HostedTool => ({
  tool,
  per: 'call',
  amounts: { '': 5n },
  defaultKind: '',
  most: 1,
  isBound: false,
  leastMs: 0,
  freeWith: [],
  always: false,
  ...facts,
});
const map = (providerId: string, ...hostedTools: HostedTool[]): Mapping =>
  ({ modelId: 'm', providerId, format: 'responses', hostedTools }) as unknown as Mapping;

const hosted = (value: JsonObject): Tool => ({ type: 'native', format: 'responses', value });
const SEARCH = hosted({ type: 'web_search' });
const PYTHON = hosted({ type: 'code_interpreter' });
const FUNCTION: Tool = { type: 'function', name: 'f' };

const nameOf = (tool: Tool): string =>
  tool.type === 'native' && typeof tool.value['type'] === 'string' ? tool.value['type'] : tool.type;

interface Scene extends Pick<CanonicalRequest, 'tools'> {
  toolChoice?: CanonicalRequest['toolChoice'];
  credential?: 'own' | 'gateway';
  allowUnpriced?: boolean;
}

/** The providers left of a route, each with what its tools may cost and the types of those that are sent. */
function plan(route: Mapping[], { tools, toolChoice, credential = 'gateway', allowUnpriced = false }: Scene) {
  const body = { tools: tools.map((tool) => (tool.type === 'native' ? tool.value : { type: tool.type })) };
  const request = createForeignRequest({
    tools,
    origin: { format: 'responses', body },
    ...(toolChoice && { toolChoice }),
  });
  const trip = createTrip({ request, credential });
  const ports = { live: () => ({ allowUnpriced }) } as unknown as Ports;
  return planTools(ports, trip, route).map((mapping) => {
    const own = trip.facts.toolPlans?.get(mapping);
    const sent = own?.prepare(request).tools.map(nameOf).join(' ');
    return [mapping.providerId, own?.amount, sent];
  });
}

const refuses = (code: string, words: RegExp) => (error: GatewayError) => {
  assert.equal(error.code, code);
  assert.match(error.message, words);
  return error.facts.param === 'tools';
};

test('a request goes where all its hosted tools have a price; if there is none, the first one says why', () => {
  const [priced, unpriced, other] = [
    map('priced', priceOf('code_interpreter')),
    map('unpriced'),
    map('other'),
  ];
  const tools = [PYTHON];
  for (const route of [
    [priced, unpriced],
    [unpriced, priced],
  ])
    assert.deepEqual(plan(route, { tools }), [['priced', 5n, 'code_interpreter']]);
  assert.throws(
    () => plan([unpriced, other], { tools }),
    refuses('unpriced_option', /^the tool code_interpreter has no known price at unpriced for "m";/),
  );
});

test('tools without a price are sent with keys of one’s own, or where the operator allows it', () => {
  const scenes: Partial<Scene>[] = [{ credential: 'own' }, { allowUnpriced: true }];
  for (const scene of scenes)
    assert.deepEqual(plan([map('unpriced')], { ...scene, tools: [SEARCH, PYTHON, FUNCTION] }), [
      ['unpriced', 0n, 'web_search code_interpreter function'],
    ]);
});

test('a tool that is refused somewhere is not sent there, with whichever credential', () => {
  const refused = map('strict', priceOf('web_search', { refused: 'it is unsafe' }));
  const scenes: Partial<Scene>[] = [{}, { credential: 'own' }, { allowUnpriced: true }];
  for (const scene of scenes)
    assert.throws(
      () => plan([refused], { ...scene, tools: [SEARCH, FUNCTION] }),
      refuses('unsupported_feature', /^the tool web_search is refused at strict for "m": it is unsafe$/),
    );
});

test('a search without a price is dropped beside an agent’s own tools, unless it is forced', () => {
  const route = [map('unpriced')];
  assert.deepEqual(plan(route, { tools: [SEARCH, FUNCTION] }), [['unpriced', 0n, 'function']]);
  const force = (type: string): CanonicalRequest['toolChoice'] => ({
    type: 'native',
    format: 'responses',
    value: { type },
  });
  assert.deepEqual(plan(route, { tools: [SEARCH, FUNCTION], toolChoice: force('file_search') }), [
    ['unpriced', 0n, 'function'],
  ]);
  const refusal = refuses('unpriced_option', /^the tool web_search has no known price/);
  assert.throws(() => plan(route, { tools: [SEARCH, FUNCTION], toolChoice: force('web_search') }), refusal);
  assert.throws(() => plan(route, { tools: [SEARCH] }), refusal);
  assert.throws(
    () => plan(route, { tools: [PYTHON, FUNCTION] }),
    refuses('unpriced_option', /code_interpreter/),
  );
});

test('a tool that a model always uses is paid for once, requested or not', () => {
  const always = map(
    'always',
    priceOf('web_search', { always: true }),
    priceOf('code_interpreter', { amounts: { '': 7n } }),
  );
  assert.deepEqual(plan([always], { tools: [] }), [['always', 5n, '']]);
  assert.deepEqual(plan([always], { tools: [SEARCH] }), [['always', 5n, 'web_search']]);
  assert.deepEqual(plan([always], { tools: [PYTHON] }), [['always', 12n, 'code_interpreter']]);
  assert.deepEqual(plan([map('plain', priceOf('web_search'))], { tools: [] }), [
    ['plain', undefined, undefined],
  ]);
});

test('of a tool with prices by kind the refusal names the kind, of one without any price only the tool', () => {
  const tools = [hosted({ type: 'image_generation', model: 'big', quality: 'high', size: '1x1' })];
  const named = priceOf('image_generation', { amounts: { small: 5n } });
  assert.throws(
    () => plan([map('named', named)], { tools }),
    refuses('unpriced_option', /^the tool image_generation \(big:high:1x1\) has no known price/),
  );
  assert.throws(
    () => plan([map('unpriced')], { tools }),
    refuses('unpriced_option', /^the tool image_generation has no known price/),
  );
  const kinds = [priceOf('web_search', { amounts: { high: 5n }, defaultKind: 'low' })];
  assert.throws(
    () => plan([map('kinds', ...kinds)], { tools: [SEARCH] }),
    refuses('unpriced_option', /^the tool web_search has no known price/),
  );
});

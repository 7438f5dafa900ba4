import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import type { ClientFormatId, FormatId } from '#canonical';
import {
  CLIENT_FORMATS,
  PROVIDER_FORMATS,
  SHAPE_READERS,
  SHAPE_REQUESTS,
  listObjects,
  openCrossing,
  readTools,
  toObject,
} from './every-format.ts';
import { listPositions, listProperties } from './schema-positions.ts';
import { keepsAnthropicRules, keepsGeminiRules, keepsStrictRules, obeys } from './schema-rules.ts';
import type { OfferedTool } from '../support/ask-as.ts';
import { repetitions } from '../support/repetitions.ts';

/** Tools as coding agents offer them, without descriptions. */
const AGENTS = readAgents();
const TOOLS = AGENTS.flatMap(({ tools }) => tools);

function readAgents(): { agent: string; tools: OfferedTool[] }[] {
  const text = readFileSync(new URL('../support/tool-schemas.json', import.meta.url), 'utf8');
  return Object.entries(parseJsonObject(text) ?? {}).map(([agent, reported]) => ({
    agent,
    tools: Object.entries(toObject(toObject(reported)['tools'])).map(([name, schema]) => ({
      name,
      schema: toObject(schema),
    })),
  }));
}

interface Way {
  client: ClientFormatId;
  provider: FormatId;
}

const WAYS: Way[] = CLIENT_FORMATS.flatMap((client) =>
  PROVIDER_FORMATS.map((provider) => ({ client, provider })),
);

/** The formats of OpenAI, which have their own strict mode. */
function isOpenAi(format: FormatId): boolean {
  return format === 'chat' || format === 'responses';
}

/** Offers the tools on their way and compares what arrives. */
function checkTools({ client, provider }: Way, offered: readonly OfferedTool[]): void {
  const { exchange } = openCrossing({ client, provider, tools: offered, dialect: { strictTools: true } });
  if (client === provider && provider === 'gemini') return; // forwarded unchanged, under another name
  const arrived = readTools(provider, exchange.body);
  assert.deepEqual(
    arrived.map(({ name }) => name),
    offered.map(({ name }) => name),
  );
  offered.forEach((tool, at) => {
    const got = arrived[at];
    assert.ok(got);
    checkSchema({ client, provider }, tool, got);
  });
}

function checkSchema(
  { client, provider }: Way,
  tool: OfferedTool,
  got: Pick<OfferedTool, 'schema' | 'strict'>,
): void {
  if (client === provider) {
    assert.deepEqual(got.schema, tool.schema, `${tool.name} travels as it came`);
    return;
  }
  assert.deepEqual(
    listProperties(got.schema),
    listProperties(tool.schema),
    `${tool.name} keeps its properties`,
  );
  if (provider === 'gemini') keepsGeminiRules(got.schema);
  else assert.equal(got.schema['type'], 'object');
  if (provider === 'messages' && got.strict) keepsAnthropicRules(got.schema);
  else if (provider !== 'gemini') {
    const { type, properties, ...rest } = tool.schema;
    const sent = { type: type ?? 'object', properties: properties ?? {}, ...rest };
    assert.deepEqual(
      { properties: {}, ...got.schema },
      { ...sent, type: 'object' },
      `${tool.name} is unchanged`,
    );
  }
  if (!isOpenAi(provider)) return;
  if (got.strict) keepsStrictRules(got.schema);
  else if (tool.strict && client !== 'gemini')
    assert.ok(!obeys(keepsStrictRules, got.schema), `${tool.name} stays strict`);
}

for (const { agent, tools } of AGENTS) {
  describe(`the ${tools.length} tools of ${agent}`, () => {
    for (const way of WAYS) {
      test(`[D-68] [D-72] reach ${way.provider} from ${way.client} in a form that provider accepts`, () => {
        checkTools(way, tools);
        checkTools(
          way,
          tools.map((tool) => ({ ...tool, strict: true })),
        );
      });
    }
  });
}

/** Content of other real schemas, merged into a schema at some position. */
const ANYWHERE: ((place: JsonObject) => JsonObject)[] = [
  () => ({ $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x', $comment: 'y' }),
  () => ({ nullable: true, examples: ['a'], deprecated: true, title: 'A title' }),
  () => ({ not: { type: 'null' } }),
  () => ({ anyOf: [{ type: 'object', properties: { anyOf: {} } }, { type: 'string' }, { type: 'null' }] }),
  () => ({ oneOf: [{ type: 'object', properties: { format: { type: 'string' } } }, { type: 'number' }] }),
  ({ type }) => (typeof type === 'string' ? { type: [type, 'null'] } : {}),
  ({ type }) => (typeof type === 'string' ? { type: [type, type === 'string' ? 'number' : 'string'] } : {}),
];
const ON_VALUES: JsonObject[] = [
  { const: 'only' },
  { const: 3 },
  { enum: [1, 2, 3] },
  { enum: ['a', '', null] },
  { enum: ['a', 1, true] },
  { exclusiveMinimum: 0, multipleOf: 2 },
  { format: 'uri', minLength: 1, pattern: '^a' },
];
const ON_OBJECTS: JsonObject[] = [
  { patternProperties: { '^x': { type: 'string' } }, propertyNames: { pattern: '^[a-z]+$' } },
  { additionalProperties: { type: 'string' } },
  { required: ['nowhere'] },
  { allOf: [{ properties: { $id: { type: 'string' } }, required: ['$id'] }] },
  { if: { properties: { a: { const: 1 } } }, then: { required: ['a'] }, else: {} },
  { properties: { type: { type: 'string' }, properties: { type: 'object' }, required: {}, enum: true } },
];

/** Merges one of these into a place: properties are added to, everything else is replaced. */
function spoil(place: JsonObject, pick: number): void {
  const own = toObject(place['properties']);
  const isList = [place['type']].flat().includes('array');
  const fitting = place['properties'] !== undefined ? ON_OBJECTS : isList ? [] : ON_VALUES;
  const all = [...ANYWHERE, ...fitting.map((what) => () => structuredClone(what))];
  const what = all[pick % all.length]?.(place) ?? {};
  Object.assign(
    place,
    what,
    what['properties'] && { properties: { ...toObject(what['properties']), ...own } },
  );
}

/** A real schema with something awkward in some of its places. */
const anyAwkwardTool: fc.Arbitrary<OfferedTool> = fc
  .record({
    tool: fc.constantFrom(...TOOLS),
    changes: fc.array(fc.record({ at: fc.nat(40), pick: fc.nat(1000) }), { maxLength: 4 }),
    strict: fc.boolean(),
  })
  .map(({ tool, changes, strict }) => {
    const schema = structuredClone(tool.schema);
    for (const { at, pick } of changes) {
      const [root = schema, ...inner] = listPositions(schema).filter(({ type }) => type !== 'null');
      spoil(inner[at % Math.max(1, inner.length)] ?? root, pick);
    }
    return { name: tool.name, schema, strict };
  })
  .filter(({ schema }) => !listPositions(schema).some(isKnotted));

/** Alternatives combined with other alternatives: Gemini only receives the first ones. */
function isKnotted(position: JsonObject): boolean {
  if (position['allOf'] === undefined) return false;
  return [position, ...listObjects(position['allOf'])].some(
    ({ type, anyOf, oneOf }) => Array.isArray(type) || anyOf !== undefined || oneOf !== undefined,
  );
}

test('[D-68] [D-69] [D-71] unusual schemas reach every provider in a form it accepts, without losing a property', () => {
  fc.assert(
    fc.property(fc.constantFrom(...WAYS), anyAwkwardTool, (way, tool) => checkTools(way, [tool])),
    { numRuns: repetitions(3000), seed: 20_261_121 },
  );
});

test('[D-73] a schema for structured output reaches every provider in its form, and loses no property', () => {
  for (const { client, provider } of WAYS) {
    const wish = SHAPE_REQUESTS[client];
    if (!wish) continue;
    for (const { name, schema } of TOOLS) {
      const { exchange } = openCrossing({ client, provider, tools: [], more: wish(schema) });
      const { schema: got, strict } = SHAPE_READERS[provider](exchange.body);
      const way = `${name}, ${client} → ${provider}`;
      assert.ok(isJsonObject(got), `${way}: no schema arrives`);
      if (client === provider) {
        assert.deepEqual(got, schema, way);
        continue;
      }
      assert.deepEqual(listProperties(got), listProperties(schema), way);
      if (provider === 'messages') keepsAnthropicRules(got);
      if (isOpenAi(provider) && isOpenAi(client) && strict === true) keepsStrictRules(got);
    }
  }
});

test('[D-68] properties survive beside a single alternative', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { a: { type: 'string' } },
    anyOf: [{ type: 'object', properties: { b: { type: 'string' } } }, { type: 'null' }],
  };
  const tools = [{ name: 'tool', schema }];
  const { exchange } = openCrossing({ client: 'messages', provider: 'gemini', tools });
  const [got] = readTools('gemini', exchange.body);
  assert.deepEqual([...listProperties(got?.schema ?? {})].sort(), ['/a', '/b']);
});

test('[D-72] a schema with oneOf, or that requires what it does not describe, is never sent as strict', () => {
  const closed: JsonObject = { type: 'object', required: ['a'], additionalProperties: false };
  const schemas: JsonObject[] = [
    { ...closed, properties: { a: { oneOf: [{ type: 'string' }, { type: 'number' }] } } },
    { ...closed, properties: {} },
  ];
  for (const provider of PROVIDER_FORMATS.filter(isOpenAi)) {
    const tools = schemas.map((schema, at) => ({ name: `tool_${at}`, schema, strict: true }));
    const { exchange } = openCrossing({
      client: 'messages',
      provider,
      tools,
      dialect: { strictTools: true },
    });
    for (const got of readTools(provider, exchange.body)) assert.equal(got.strict, false, provider);
  }
});

test('[D-73] structured output of Messages is strict at OpenAI only if OpenAI accepts its schema as strict', () => {
  for (const provider of PROVIDER_FORMATS.filter(isOpenAi)) {
    for (const { name, schema } of TOOLS) {
      const more = { output_config: { format: { type: 'json_schema', schema } } };
      const { exchange } = openCrossing({ client: 'messages', provider, tools: [], more });
      const { schema: got, strict } = SHAPE_READERS[provider](exchange.body);
      assert.ok(strict !== true || obeys(keepsStrictRules, toObject(got)), `${name} at ${provider}`);
    }
  }
});

test('the description of a tool reaches every provider, and none is invented', () => {
  const schema: JsonObject = { type: 'object', properties: {} };
  const offered: OfferedTool[] = [
    { name: 'described', schema, description: 'Looks it up.' },
    { name: 'bare', schema },
  ];
  for (const { client, provider } of WAYS) {
    const { exchange } = openCrossing({ client, provider, tools: offered });
    const arrived = readTools(provider, exchange.body).map(({ description }) => description);
    assert.deepEqual(arrived, ['Looks it up.', undefined], `${client} → ${provider}`);
  }
});

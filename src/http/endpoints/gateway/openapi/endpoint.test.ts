import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Compile } from 'typebox/compile';
import type { TSchema } from 'typebox';
import { version } from '#app';
import { type JsonObject, isJsonObject } from '#base';
import { ENDPOINTS } from '#http';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

interface Media {
  schema: JsonObject;
}
interface Operation {
  summary: string;
  security: Record<string, unknown[]>[];
  parameters?: { name: string; in: string; schema: JsonObject }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer | { $ref: string }>;
}
interface Answer {
  description: string;
  content?: Record<string, Media>;
}
interface Description {
  openapi: string;
  info: { title: string; version: string };
  components: {
    securitySchemes: Record<string, JsonObject>;
    schemas: Record<string, JsonObject>;
    responses: Record<string, Answer>;
  };
  paths: Record<string, Record<string, Operation>>;
}

let description: Description;
const gateway = shareGateway();
before(async () => {
  description = (await (await gateway.request('/openapi.json')).json()) as Description;
});

const listOperations = () =>
  Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );

/** What a reference in the document leads to. */
function follow(reference: string): unknown {
  const [start, ...names] = reference.split('/');
  assert.equal(start, '#');
  return names.reduce<unknown>((part, name) => (part as JsonObject)[name], description);
}

/** The part with its references followed. */
function resolve(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(resolve);
  if (!isJsonObject(part)) return part;
  if (typeof part['$ref'] === 'string') return resolve(follow(part['$ref']));
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolve(value)]));
}

function getSchema(method: string, path: string, status: number): TSchema {
  const response = resolve(description.paths[path]?.[method]?.responses[status]) as Answer | undefined;
  const media = response?.content?.['application/json'];
  assert.ok(media, `${method} ${path} ${status}`);
  return media.schema;
}

/** Every schema below a value, with its path. */
function* walk(value: unknown, place: string): Generator<[string, JsonObject]> {
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* walk(item, `${place}/${at}`);
  if (!isJsonObject(value)) return;
  yield [place, value];
  for (const [name, item] of Object.entries(value)) yield* walk(item, `${place}/${name}`);
}

test('200: the document is public and cacheable', async () => {
  const response = await gateway.request('/openapi.json', { headers: { authorization: '' } });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(response.headers.get('cache-control'), 'public, max-age=300');
});

test('200: it lists every endpoint with exactly the statuses it declares, and nothing else', () => {
  assert.match(description.openapi, /^3\.1\.\d$/);
  assert.equal(description.info.version, version);
  const listed = listOperations().map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(
    listed.sort(),
    ENDPOINTS.map(({ method, template }) => `${method.toLowerCase()} ${template}`).sort(),
  );
  for (const { method, template, responses, query = {}, headers = {} } of ENDPOINTS) {
    const operation = description.paths[template]?.[method.toLowerCase()];
    assert.deepEqual(Object.keys(operation?.responses ?? {}), Object.keys(responses));
    const inPath = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    assert.deepEqual(operation?.parameters?.map(({ name }) => name) ?? [], [
      ...inPath,
      ...Object.keys(query),
      ...Object.keys(headers),
    ]);
  }
});

test('200: every operation has the members that OpenAPI requires', () => {
  const schemes = new Set(Object.keys(description.components.securitySchemes));
  for (const { path, method, operation } of listOperations()) {
    const place = `${method} ${path}`;
    assert.match(path, /^\/[\w./{}:-]*$/);
    assert.notEqual(operation.summary, '', place);
    for (const requirement of operation.security)
      for (const name of Object.keys(requirement)) assert.ok(schemes.has(name), `${place}: ${name}`);
    for (const parameter of operation.parameters ?? []) {
      assert.ok(['query', 'header', 'path', 'cookie'].includes(parameter.in));
      assert.equal(parameter.schema['type'], 'string');
    }
    assert.equal(operation.requestBody !== undefined, method === 'post', place);
    for (const [status, listed] of Object.entries(operation.responses)) {
      const response = resolve(listed) as Answer;
      assert.match(status, /^[1-5]\d\d$/);
      assert.notEqual(response.description, '');
      for (const [type, { schema }] of Object.entries(response.content ?? {})) {
        assert.match(type, /^\w+\/[\w.+-]+$/);
        assert.ok(isJsonObject(schema));
      }
    }
  }
});

test('200: the token of a video has a character or more, and errors have nothing but strings', () => {
  const content = description.paths['/v1/videos/logs/{log_id}/content']?.['get'];
  const token = content?.parameters?.find(({ name }) => name === 'token');
  assert.deepEqual(token?.schema, { type: 'string', minLength: 1 });
  assert.notEqual((token as { required?: boolean }).required, true);
  const error = getSchema('get', '/v1/models', 401) as unknown as { properties: { error: JsonObject } };
  const { required, properties } = error.properties.error as {
    required: string[];
    properties: Record<string, JsonObject>;
  };
  assert.deepEqual(required, ['message', 'type', 'param', 'code']);
  for (const [name, schema] of Object.entries(properties)) assert.equal(schema['type'], 'string', name);
});

test('200: its schemas are JSON Schema, without a reference that leads nowhere', () => {
  const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
  let schemas = 0;
  const { schemas: shared, responses } = description.components;
  for (const [place, schema] of walk({ ...description.paths, ...shared, ...responses }, '#')) {
    if (place.includes('/examples/')) continue; // a body, no schema
    if (typeof schema['$ref'] === 'string') assert.ok(isJsonObject(follow(schema['$ref'])), place);
    if (typeof schema['type'] === 'string' && !place.endsWith('/properties')) {
      schemas += 1;
      assert.ok(types.has(schema['type']), `${place}: ${schema['type']}`);
    }
    if (typeof schema['pattern'] === 'string') assert.ok(new RegExp(schema['pattern']));
    if (Array.isArray(schema['anyOf'])) assert.ok(schema['anyOf'].length > 0, place);
    if (Array.isArray(schema['required']) && isJsonObject(schema['properties']))
      for (const name of schema['required'] as string[]) assert.ok(name in schema['properties'], place);
  }
  assert.ok(schemas > 100, `${schemas}`);
});

test('200: real answers match the document', async () => {
  const messages = [{ role: 'user', content: 'hello' }];
  const ask = { model: 'chat-model', max_tokens: 16, messages, input: messages };
  const bad = { model: 'chat-model' };
  const answers: [string, string, Response][] = [
    ['get', '/', await gateway.request('/')],
    ['get', '/v1/key', await gateway.request('/v1/key')],
    ['get', '/v1/key', await gateway.request('/v1/key', { headers: { authorization: '' } })],
    ['get', '/v1/models', await gateway.request('/v1/models')],
    ['get', '/livez', await gateway.request('/livez')],
    ['get', '/readyz', await gateway.request('/readyz')],
    ...(await Promise.all(
      ['/v1/messages', '/v1/chat/completions', '/v1/messages/count_tokens', '/v1/responses'].flatMap((path) =>
        [ask, bad].map(async (body): Promise<[string, string, Response]> => [
          'post',
          path,
          await gateway.post(path, body),
        ]),
      ),
    )),
  ];
  for (const [method, path, response] of answers) {
    const body: unknown = await response.json();
    const errors = [...Compile(getSchema(method, path, response.status)).Errors(body)];
    assert.deepEqual(
      errors,
      [],
      `${method} ${path} ${response.status} ${JSON.stringify(body).slice(0, 200)}`,
    );
  }
});

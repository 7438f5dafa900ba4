import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { MAX_DEPTH } from '../request/json-limits.ts';
import { receive } from './receive.ts';

function arrive(
  body: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  return { headers, readBody: async () => Buffer.from(body) };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError);
    return thrown.code;
  }
  return 'accepted';
}

test('a body is parsed once and its bytes are retained for the cache', async () => {
  const { body, bytes } = await receive(arrive('{"model":"x"}'));
  assert.deepEqual(body, { model: 'x' });
  assert.equal(bytes.toString(), '{"model":"x"}');
});

test('the depth limit is exact', async () => {
  const nest = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  assert.equal(await codeOf(receive(arrive(nest(MAX_DEPTH)))), 'accepted');
  assert.equal(await codeOf(receive(arrive(nest(MAX_DEPTH + 1)))), 'body_too_deep');
});

test('what is not a JSON object in UTF-8 is refused by name', async () => {
  assert.equal(await codeOf(receive(arrive(''))), 'invalid_json');
  assert.equal(await codeOf(receive(arrive('{'))), 'invalid_json');
  await assert.rejects(receive(arrive('[1,]')), /: line 1, column 4: /);
  await assert.rejects(receive(arrive(`["${'a'.repeat(128 * 1024)}",]`)), /not valid JSON$/, 'a long one');
  assert.equal(await codeOf(receive(arrive('[1]'))), 'invalid_request');
  assert.equal(await codeOf(receive(arrive(Buffer.from([0x7b, 0xff, 0x7d])))), 'invalid_utf8');
});

test('JSON media types are accepted with parameters and suffixes, or absent; others and compression are 415', async () => {
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/vnd.api+json',
  ]) {
    assert.equal(await codeOf(receive(arrive('{}', { 'content-type': type }))), 'accepted', type);
  }
  assert.equal(await codeOf(receive(arrive('{}', {}))), 'accepted');
  for (const type of ['text/plain', 'application/jsonp', 'multipart/form-data; boundary=x', '']) {
    assert.equal(
      await codeOf(receive(arrive('{}', { 'content-type': type }))),
      'unsupported_media_type',
      type,
    );
  }
  const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  assert.equal(await codeOf(receive(arrive('{}', gzip))), 'unsupported_encoding');
});

async function complaintOf(body: string): Promise<string> {
  const thrown: unknown = await receive(arrive(body)).catch((error: unknown) => error);
  if (!(thrown instanceof GatewayError)) return 'accepted';
  assert.equal(thrown.code, 'invalid_request');
  return thrown.message;
}

const list = (count: number, item: (at: number) => string): string =>
  `[${Array.from({ length: count }, (_, at) => item(at)).join()}]`;
const part = (at: number): string => `{"type":"text","text":"part ${at}"}`;
const properties = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"k${at}":{"type":"string","description":"d"}`).join()}}`;

test('a body of many values is refused by the member that holds them, before it is parsed', async () => {
  const inputs = `{"model":"x","input":[${'"a",'.repeat(8_000_000)}"a"]}`;
  assert.equal(await complaintOf(inputs), 'input: has more than 400,000 JSON values, a text counted as two');
  assert.equal(
    await complaintOf(`{"metadata":${properties(40_000)}}`),
    'metadata: has too many different member names (more than 20,000)',
  );
});

test('large but valid bodies are read', async () => {
  const bodies = {
    'messages of three parts': `{"messages":${list(20_000, () => `{"role":"user","content":${list(3, part)}}`)}}`,
    'messages of a text': `{"messages":${list(75_000, (at) => `{"role":"user","content":"message ${at}"}`)}}`,
    'numbers of tokens': `{"input":${list(300, () => list(1_000, String))}}`,
    'properties of tools': `{"tools":${list(4, () => `{"type":"object","properties":${properties(5_000)}}`)}}`,
    'different names': `{"metadata":${properties(18_000)}}`,
  };
  for (const [name, body] of Object.entries(bodies)) {
    assert.equal(await complaintOf(body), 'accepted', name);
    assert.equal((await receive(arrive(body))).queue, '', name);
  }
});

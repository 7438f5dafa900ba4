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

test('a body is parsed once and its bytes are kept for the cache', async () => {
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
  assert.equal(await codeOf(receive(arrive('[1]'))), 'invalid_request');
  assert.equal(await codeOf(receive(arrive(Buffer.from([0x7b, 0xff, 0x7d])))), 'invalid_utf8');
});

test('JSON media types are taken with parameters, suffixes and none; others and compression are 415', async () => {
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

test('a body of many values is refused by the member that holds them, before it is parsed', async () => {
  const complaintOf = async (body: string): Promise<string> => {
    const thrown: unknown = await receive(arrive(body)).catch((error: unknown) => error);
    assert.ok(thrown instanceof GatewayError);
    assert.equal(thrown.code, 'invalid_request');
    return thrown.message;
  };
  const inputs = `{"model":"x","input":[${'"a",'.repeat(8_000_000)}"a"]}`;
  assert.equal(await complaintOf(inputs), 'input: has more than 750,000 JSON values');
  const names = Array.from({ length: 150_000 }, (_, at) => `"k${at}":1`).join();
  assert.match(
    await complaintOf(`{"metadata":{${names}}}`),
    /^metadata: has too many different member names/,
  );
});

test('a hundred thousand messages of one part each are read', async () => {
  const message = '{"role":"user","content":[{"type":"text","text":"x"}]}';
  const { isHeavy } = await receive(arrive(`{"messages":[${Array(100_000).fill(message).join()}]}`));
  assert.equal(isHeavy, true);
});

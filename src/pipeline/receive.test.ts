import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { MAX_DEPTH, receive } from './receive.ts';

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

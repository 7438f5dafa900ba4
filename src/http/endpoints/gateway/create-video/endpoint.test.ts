import type { ServerResponse } from 'node:http';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postHalf, postTooLarge } from '../../../../../test/support/raw-exchange.ts';
import { assertFreeRow } from '../../../../../test/support/refusal.ts';
import { asKey, finishVideo, orderVideo } from '../../../../../test/support/video-client.ts';
import { type VideoGateway, shareVideoGateway } from '../../../../../test/support/video-gateway.ts';

const open = shareVideoGateway();

const ask = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  open.gateway.post('/v1/videos', { model: 'open-video', prompt: 'a cat', ...fields }, headers);

/** Refused before anything was stored: one free row, no job, nothing sent. The last test checks the books. */
async function refused(response: Response, status: number, code: Parameters<VideoGateway['refuses']>[2]) {
  const copy = response.clone();
  const message = await open.refuses(response, status, code);
  assertFreeRow(await open.gateway.getRow(copy), { status, code });
  return message;
}

function refuseCats(response: ServerResponse): true {
  response.writeHead(400, { 'content-type': 'application/json' });
  const error = { message: 'no cats', type: 'invalid_request_error', code: 'no_cats' };
  response.end(JSON.stringify({ error }));
  return true;
}

test('200: the same order with the same key is one job, one bill and two rows', async () => {
  const headers = { 'idempotency-key': 'key-1' };
  const first = await orderVideo(open.gateway, {}, headers);
  const [second, third] = await Promise.all([
    orderVideo(open.gateway, {}, headers),
    orderVideo(open.gateway, { seconds: 4, size: '1280x720' }).then(({ id }) => id),
  ]);
  assert.equal(second.id, first.id);
  assert.notEqual(third, first.id);
  assert.equal(open.mock.find('POST', /\/videos$/).length, 2);
  await finishVideo(open.gateway, first.id);
});

test('200: ten at once with one key are one job', async () => {
  const headers = { 'idempotency-key': 'key-2' };
  const all = await Promise.all(Array.from({ length: 10 }, () => orderVideo(open.gateway, {}, headers)));
  assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  assert.equal(open.mock.find('POST', /\/videos$/).length, 1);
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

test('200: an order waits for another with the same Idempotency-Key, and starts its own job if that one is refused', async () => {
  const isAsked = Promise.withResolvers<undefined>();
  const mayAnswer = Promise.withResolvers<undefined>();
  open.mock.intercept = ({ method }, response) => {
    if (method !== 'POST') return false; // jobs of other tests are still polled
    open.mock.intercept = undefined;
    isAsked.resolve(undefined);
    void mayAnswer.promise.then(() => {
      refuseCats(response);
    });
    return true;
  };
  const headers = { 'idempotency-key': 'key-4' };
  const first = ask({}, headers);
  await isAsked.promise;
  const second = orderVideo(open.gateway, {}, headers);
  const hasCome = await Promise.race([second.then(() => true), sleep(300, false)]);
  assert.equal(hasCome, false, 'an id was returned for an order that may still fail');
  mayAnswer.resolve(undefined);
  assert.equal((await first).status, 400);
  await finishVideo(open.gateway, (await second).id);
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

test('200: an Idempotency-Key applies to one end user, or to one token without an end user', async () => {
  const { gateway } = open;
  const { apiKey, keyId } = await gateway.createAccount();
  const mint = async (endUserId?: string): Promise<string> => {
    const options = { keyId, limit: 10n ** 13n, ...(endUserId !== undefined && { endUserId }) };
    return (await gateway.accounts.directory.createSessionToken(options)).secret;
  };
  const order = async (secret: string): Promise<string> =>
    (await orderVideo(gateway, {}, { ...asKey(secret), 'idempotency-key': 'mine' })).id;
  const [ada, again, bob, nameless, other] = [
    await mint('ada'),
    await mint('ada'),
    await mint('bob'),
    await mint(),
    await mint(),
  ];
  const first = await order(ada);
  assert.equal(await order(again), first);
  const ids = [first];
  for (const secret of [bob, nameless, other, apiKey]) ids.push(await order(secret));
  assert.equal(new Set(ids).size, 5);
  assert.equal(await order(nameless), ids[2]);
  for (const id of ids) await finishVideo(gateway, id, asKey(apiKey));
});

test('200: a form with an image reaches the provider as such', async () => {
  const form = new FormData();
  form.set('model', 'open-video');
  form.set('prompt', 'a cat');
  form.set('seconds', '8');
  form.set(
    'input_reference',
    new Blob([new Uint8Array([1, 2, 3, 13, 10, 45, 45])], { type: 'image/png' }),
    'a.png',
  );
  const response = await open.gateway.request('/v1/videos', { method: 'POST', body: form });
  assert.equal(response.status, 200);
  const [sent] = open.mock.find('POST', /\/videos$/);
  assert.match(sent?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  assert.ok(sent);
  assert.ok(sent.body.includes(Buffer.from([1, 2, 3, 13, 10, 45, 45])));
  assert.match(sent.body.toString('latin1'), /name="seconds"\r\n\r\n8\r\n/);
});

test('400: a video the model cannot generate, with the supported values', async () => {
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ size: '640x480' }, /1280x720, 720x1280/],
    [{ seconds: 5 }, /4, 8/],
    [{ seconds: 'long' }, /whole number/],
    [{ size: 'big' }, /width and a height/],
    [{ prompt: '' }, /prompt/],
    [{ prompt: undefined }, /prompt/],
    [{ input_reference: { image_url: 'http://10.0.0.1/a.png' } }, /https/],
    [{ input_reference: 'x' }, /image_url/],
    [{ generate_audio: 'yes' }, /true or false/],
  ];
  for (const [fields, message] of cases)
    assert.match(await refused(await ask(fields), 400, 'invalid_request'), message);
  assert.equal(open.mock.find('POST', /./).length, 0);
});

test('400: malformed forms, and files other than a single image', async () => {
  const form = (fields: Record<string, string>, files: [name: string, content: string, type: string][]) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const [name, content, type] of files) form.append(name, new File([content], '猫.png', { type }));
    return form;
  };
  const order = { model: 'open-video', prompt: 'a cat' };
  const image: [string, string, string] = ['input_reference', 'an image', 'image/png'];
  const cases: [FormData, RegExp][] = [
    [form(order, [image, image]), /one file/],
    [form(order, [['input_reference', '', 'image/png']]), /empty/],
    [form(order, [['input_reference', 'text', 'text/plain']]), /JPEG, PNG/],
    [form({ model: 'open-video' }, [image]), /prompt/],
    [form({ model: 'open-video' }, [['prompt', 'a cat', 'text/plain']]), /prompt/],
    [form({ ...order, seconds: 'x' }, []), /whole number/],
    [form({ ...order, generate_audio: 'yes' }, []), /true or false/],
  ];
  for (const [body, message] of cases) {
    const response = await open.gateway.request('/v1/videos', { method: 'POST', body });
    assert.match(await refused(response, 400, 'invalid_request'), message);
  }
  const part = (name: string, value: string): string =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts = part('model', 'open-video') + part('prompt', 'a cat');
  const raw: [string, string, RegExp][] = [
    ['multipart/form-data', `${parts}--x--\r\n`, /boundary/],
    ['multipart/form-data; boundary=x', parts, /not valid/],
    ['multipart/form-data; boundary=x', `${parts}${part('prompt', 'a dog')}--x--\r\n`, /prompt/],
    ['multipart/form-data; boundary=x', `${part('prompt', '\u00ff')}--x--\r\n`, /UTF-8/],
  ];
  for (const [type, body, message] of raw) {
    const response = await open.gateway.request('/v1/videos', {
      method: 'POST',
      body: Buffer.from(body, 'latin1'),
      headers: { 'content-type': type },
    });
    assert.match(await refused(response, 400, 'invalid_request'), message);
  }
  assert.equal(open.mock.find('POST', /./).length, 0);
});

test('400: passes on a refusal of the provider, at cost 0', async () => {
  open.mock.intercept = (_request, response) => refuseCats(response);
  const response = await ask({}, { 'idempotency-key': 'again' });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /no cats/);
  open.mock.clear();
  await orderVideo(open.gateway, {}, { 'idempotency-key': 'again' });
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

test('400: four simultaneous orders with one Idempotency-Key all get the refusal, and none gets the id of a deleted job', async () => {
  open.mock.intercept = (_request, response) => refuseCats(response);
  const headers = { 'idempotency-key': 'key-5' };
  const all = await Promise.all(Array.from({ length: 4 }, () => ask({}, headers)));
  assert.deepEqual(
    all.map(({ status }) => status),
    [400, 400, 400, 400],
  );
  assert.equal(open.mock.find('POST', /\/videos$/).length, 4);
  open.mock.clear();
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

test('401: no key', async () => {
  await open.refuses(await ask({}, { authorization: '' }), 401, 'missing_credential');
});

test('402: money for less than the whole price', async () => {
  const { apiKey } = await open.gateway.createAccount({ credits: 399_999_999_999n });
  const message = await refused(await ask({}, asKey(apiKey)), 402, 'credits_exhausted');
  assert.match(message, /may cost up to 0\.4 USD/);
  assert.equal(open.mock.find('POST', /./).length, 0);
});

test('403: a credential that is no regular key', async () => {
  const { secret } = await open.gateway.accounts.directory.createAdminKey({ label: 'admin' });
  await open.refuses(await ask({}, asKey(secret)), 403, 'wrong_credential');
});

test('404: an unknown model', async () => {
  await refused(await ask({ model: 'open-vide' }), 404, 'model_not_found');
});

test('408: a body that stops', async () => {
  await refused(await postHalf(open.gateway, '/v1/videos'), 408, 'request_timeout');
});

test('413: a body of more than 32 MiB', async () => {
  await refused(await postTooLarge(open.gateway, '/v1/videos'), 413, 'body_too_large');
});

test('415: neither JSON nor a form', async () => {
  const response = await open.gateway.post('/v1/videos', 'x', { 'content-type': 'text/plain' });
  await refused(response, 415, 'unsupported_media_type');
});

test('422: the key of another order', async () => {
  const headers = { 'idempotency-key': 'key-3' };
  await orderVideo(open.gateway, {}, headers);
  await refused(await ask({ prompt: 'a dog' }, headers), 422, 'idempotency_mismatch');
});

test('429: the provider limits the rate', async () => {
  open.mock.intercept = (_request, response) => {
    response.writeHead(429, { 'retry-after': '7' }).end('{}');
    return true;
  };
  const response = await ask();
  assert.equal(response.headers.get('retry-after'), '7');
  await refused(response, 429, 'upstream_rate_limited');
});

test('500: a fault of the gateway leaves no hold', async () => {
  const response = await open.gateway.withoutTable('video_job', () => ask());
  await open.refuses(response, 500, 'internal_error');
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

test('502: a provider that fails; what it may charge is the operator’s', async () => {
  open.mock.intercept = (_request, response) => {
    response.writeHead(500).end('{}');
    return true;
  };
  const response = await ask();
  const copy = response.clone();
  await open.refuses(response, 502, 'upstream_broken');
  const row = await open.gateway.getRow(copy);
  assert.deepEqual([row.customer, row.provider, row.estimated], ['0', '400000000000', true]);
});

test('503: the database is unavailable', async () => {
  await finishVideo(open.gateway, (await orderVideo(open.gateway)).id);
  open.gateway.line.cut();
  await open.refuses(await ask(), 503, 'store_unavailable');
});

test('504: a provider that does not answer; after all refusals the books agree', async () => {
  open.mock.intercept = () => true;
  await open.refuses(await ask(), 504, 'upstream_timed_out');
  assert.deepEqual(await open.gateway.accounts.ledger.check(), []);
});

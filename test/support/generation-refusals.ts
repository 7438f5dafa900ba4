import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientFormatId } from '#canonical';
import type { InProcessGateway } from './in-process.ts';
import { type Promised, assertRefused } from './refusal.ts';
import { postHalf, postTooLarge } from './raw-exchange.ts';
import {
  type Reply,
  errorWithOk,
  fail,
  hang,
  rateLimited,
  resetBeforeHeaders,
  resetMidBody,
  wrongContentType,
} from './upstream-replies.ts';
import { IMPATIENT } from './mock-providers.ts';
import { SLOWNESS_MS } from './within.ts';

/** A generation endpoint, as far as its refusals need it. */
interface GenerationSurface {
  gateway(): InProcessGateway;
  format: ClientFormatId;
  pathOf(model: string, stream?: boolean): string;
  bodyOf(model: string, stream?: boolean): object;
  /** For bodies that are forms: how to encode one. */
  form?: { contentType: string; encode(body: object): Buffer };
  /** Whether forms are accepted beside JSON. */
  takesForms?: boolean;
}

/** Tests the refusals common to all such endpoints; the gateway's body limit must be short (`limits.bodyMs`). */
export function proveRefusals(surface: GenerationSurface): void {
  const { gateway: open, format, pathOf, bodyOf, form, takesForms = form !== undefined } = surface;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) => {
    if (!form) return open().post(path, body, headers);
    const encoded = body instanceof Uint8Array ? body : form.encode(body as object);
    return open().post(path, encoded, { 'content-type': form.contentType, ...headers });
  };
  const ask = (headers: Record<string, string> = {}, body: unknown = bodyOf('chat-model')) =>
    post(pathOf('chat-model'), body, headers);
  const askModel = (model: string, stream = false) => post(pathOf(model, stream), bodyOf(model, stream));
  const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
  const refused = (response: Response, expected: Omit<Promised, 'format'>) =>
    assertRefused(open(), response, { ...expected, format });
  const served = async (response: Response): Promise<void> =>
    assert.equal(response.status, 200, await response.text());
  /** Refused before anything is sent. */
  const unpaid = async (apiKey: string, code: Promised['code']): Promise<string> => {
    const response = await ask(asKey(apiKey));
    assert.notEqual(
      response.status,
      200,
      'nothing was held: the model is priced by tokens, and `bound` has none',
    );
    return refused(response, { status: 402, code });
  };
  const script = (reply: Reply): void => {
    open().upstream.clear();
    open().upstream.script({ reply });
  };
  const countSent = (): number => open().upstream.truths.length;

  test('400: a body that is no JSON object', { skip: form !== undefined && 'it takes forms' }, async () => {
    const cases: [unknown, Promised['code'], RegExp][] = [
      ['', 'invalid_json', /empty/],
      ['{"model":', 'invalid_json', /not valid JSON: line 1, column 10: expected a value, found the end$/],
      ['7', 'invalid_request', /JSON object/],
      ['[]', 'invalid_request', /JSON object/],
      [Buffer.from([0x22, 0xc0, 0x22]), 'invalid_utf8', /UTF-8/],
      [`{"input":${'['.repeat(200)}${']'.repeat(200)}}`, 'body_too_deep', /128/],
    ];
    for (const [body, code, message] of cases)
      assert.match(await refused(await ask({}, body), { status: 400, code }), message);
  });

  test('401: no key, an unknown key, another scheme, a key that has expired and one that is off', async () => {
    const { apiKey, keyId } = await open().createAccount();
    const { apiKey: expired } = await open().createAccount({ expiresAt: open().clock.now() - 1_000 });
    await served(await ask(asKey(apiKey)));
    await open().accounts.directory.updateKey(keyId, { disabled: true });
    const cases: [string, Promised['code']][] = [
      ['', 'missing_credential'],
      ['Basic abc', 'invalid_credential'],
      ['Token slc_anything', 'invalid_credential'],
      ['Bearer sk-ant-something', 'invalid_credential'],
      [`Bearer ${apiKey.slice(0, -1)}`, 'invalid_credential'],
      [`Bearer${open().account.apiKey}`, 'invalid_credential'],
      [`Bearer ${apiKey}`, 'invalid_credential'],
      [`Bearer ${expired}`, 'invalid_credential'],
      ['Bearer slcses_anything', 'invalid_credential'],
    ];
    for (const [authorization, code] of cases)
      await refused(await ask({ authorization }), { status: 401, code, row: 'none' });
  });

  test('402: a key whose limit is exhausted, with the limit and the remaining amount', async () => {
    const { apiKey } = await open().createAccount({ limit: 1n });
    const message = await unpaid(apiKey, 'key_limit_reached');
    assert.match(message, /limit of 0\.000000000001 USD and has used 0 USD/);
    assert.equal(countSent(), 0);
  });

  test('402: an organization without credits, with the amount needed', async () => {
    const { apiKey } = await open().createAccount({ credits: 1n });
    const message = await unpaid(apiKey, 'credits_exhausted');
    assert.match(message, /credits.*0\.000000000001 USD is left.*may cost up to/);
    assert.equal(countSent(), 0);
  });

  test('403: a credential that is no regular key', async () => {
    const admin = await open().accounts.directory.createAdminKey({ label: 'admin' });
    for (const secret of [admin.secret, 'slcadm_anything'])
      await refused(await ask(asKey(secret)), { status: 403, code: 'wrong_credential', row: 'none' });
  });

  test('404: an unknown model, with the closest names', async () => {
    const response = await askModel('chat-modell');
    assert.match(await refused(response, { status: 404, code: 'model_not_found' }), /chat-model/);
  });

  test('408: a body that stops before its end; the connection is closed', async () => {
    const response = await postHalf(open(), pathOf('chat-model'), form?.contentType);
    assert.equal(response.headers.get('connection'), 'close');
    await refused(response, { status: 408, code: 'request_timeout' });
  });

  test('413: a body of more than 32 MiB', async () => {
    const response = await postTooLarge(open(), pathOf('chat-model'), form?.contentType);
    assert.match(await refused(response, { status: 413, code: 'body_too_large' }), /33554432/);
  });

  test('415: a body that is not declared as JSON, or compressed', async () => {
    const forms = takesForms ? [] : ['multipart/form-data; boundary=x'];
    for (const type of ['text/plain', 'application/jsonp', ...forms])
      await refused(await ask({ 'content-type': type }), { status: 415, code: 'unsupported_media_type' });
    for (const encoding of ['gzip', 'br', 'zstd', 'gzip, gzip'])
      await refused(await ask({ 'content-encoding': encoding }), {
        status: 415,
        code: 'unsupported_encoding',
      });
  });

  test('429: a provider that limits the rate, with its retry-after', async () => {
    script(rateLimited('7'));
    const response = await ask();
    assert.equal(response.headers.get('retry-after'), '7');
    await refused(response, { status: 429, code: 'upstream_rate_limited' });
  });

  test('500: a fault of the gateway, with details only for the operator', async () => {
    const response = await open().withoutTable('hold', () => ask());
    const message = await refused(response, { status: 500, code: 'internal_error' });
    assert.equal(message, 'internal error');
    const id = response.headers.get('x-request-id') ?? '';
    assert.ok(open().logLines.some((line) => line.includes(id) && line.includes('\\"hold\\"')));
    assert.equal(countSent(), 0);
    await served(await ask());
  });

  test('502: a provider that cannot be reached, breaks off, fails, or talks nonsense', async () => {
    await refused(await askModel('closed-model'), { status: 502, code: 'upstream_unreachable' });
    const cases: [Reply, Promised['code']][] = [
      [resetBeforeHeaders(), 'upstream_unreachable'],
      [resetMidBody(), 'upstream_broken'],
      [fail(500, 'server_error'), 'upstream_broken'],
      [errorWithOk(), 'upstream_broken'],
      [fail(401, 'invalid_api_key', { message: 'bad key mock-key' }), 'upstream_credential_refused'],
      [fail(429, 'insufficient_quota', { message: 'bad key mock-key' }), 'upstream_out_of_quota'],
      [wrongContentType(), 'upstream_garbled'],
    ];
    for (const [reply, code] of cases) {
      script(reply);
      assert.doesNotMatch(await refused(await ask(), { status: 502, code }), /mock-key/);
    }
  });

  test('503: the database is unavailable: refused within 2 s, and nothing is sent', async () => {
    await served(await ask());
    open().line.cut();
    const startedMs = performance.now();
    const response = await ask();
    assert.ok(performance.now() - startedMs < 2_000 + SLOWNESS_MS);
    assert.equal(response.headers.get('retry-after'), '2');
    await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
    assert.equal(countSent(), 1);
  });

  test('504: a provider that accepts and does not begin its stream in time', async () => {
    script(hang());
    const startedMs = performance.now();
    const response = await open().impatiently(() => askModel('chat-model', true));
    assert.ok(performance.now() - startedMs >= IMPATIENT.firstEventMs - 10);
    await refused(response, { status: 504, code: 'upstream_timed_out' });
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '#errors';
import { type Video, orderVideo } from './video-client.ts';
import type { VideoGateway } from './video-gateway.ts';

/** The two addresses of a video's content. */
export type ContentAddress = (video: Video) => string;

/** Guarantees of reading content, at either address; each is one named test of its endpoint. */
export const CONTENT_CASES = {
  async whole({ gateway, mock, make }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    const response = await gateway.request(path);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'video/mp4');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.equal(response.headers.get('etag'), '"video-1"');
    assert.match(response.headers.get('content-disposition') ?? '', /^inline; filename="video_\w+\.mp4"$/);
    assert.equal(await response.text(), mock.content.toString());
    const head = await gateway.request(path, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), String(mock.content.length));
    assert.equal(await head.text(), '');
  },

  async ranges({ gateway, mock, make }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    const whole = mock.content.toString();
    const cases: [string, number, string, string?][] = [
      ['bytes=0-9', 206, whole.slice(0, 10), 'bytes 0-9/1000'],
      ['bytes=990-', 206, whole.slice(990), 'bytes 990-999/1000'],
      ['bytes=-5', 206, whole.slice(-5), 'bytes 995-999/1000'],
      ['bytes=5-5', 206, whole.slice(5, 6), 'bytes 5-5/1000'],
      ['bytes=995-5000', 206, whole.slice(995), 'bytes 995-999/1000'],
      ['bytes=0-1,5-6', 200, whole],
      ['lines=0-1', 200, whole],
      ['bytes=a-b', 200, whole],
    ];
    for (const [range, status, text, reported] of cases) {
      const response = await gateway.request(path, { headers: { range } });
      assert.equal(response.status, status, range);
      assert.equal(await response.text(), text, range);
      assert.equal(response.headers.get('content-range') ?? undefined, reported, range);
    }
    const stale = await gateway.request(path, { headers: { range: 'bytes=0-9', 'if-range': '"old"' } });
    assert.equal(stale.status, 200);
    await stale.text();
  },

  async validators({ gateway, make }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    for (const [name, value] of [
      ['if-none-match', '"video-1"'],
      ['if-modified-since', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ] as const) {
      const response = await gateway.request(path, { headers: { [name]: value } });
      assert.equal(response.status, 304);
      assert.equal(response.headers.get('etag'), '"video-1"');
      assert.equal(await response.text(), '');
    }
  },

  async unready({ gateway, mock, refuses }: VideoGateway, address: ContentAddress): Promise<void> {
    mock.steps = ['in_progress'];
    const { id } = await orderVideo(gateway);
    const message = await refuses(await gateway.request(address({ id } as Video)), 409, 'video_not_ready');
    assert.match(message, /status is (queued|in_progress)/);
  },

  async gone({ gateway, mock, make, refuses }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    for (const status of [403, 404, 410]) {
      mock.intercept = (_request, response) => {
        response.writeHead(status, { 'content-type': 'text/html' }).end('<script>alert(1)</script>');
        return true;
      };
      await refuses(await gateway.request(path), 410, 'content_expired');
    }
  },

  async outOfRange({ gateway, make, refuses }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    const response = await gateway.request(path, { headers: { range: 'bytes=5000-' } });
    assert.equal(response.headers.get('content-range'), 'bytes */1000');
    await refuses(response, 416, 'range_not_satisfiable');
  },

  async crowded({ gateway, mock, make, refuses }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    mock.intercept = (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      response.write('x');
      return true;
    };
    const readers = await Promise.all(Array.from({ length: 16 }, () => gateway.request(path)));
    const response = await gateway.request(path);
    assert.equal(response.headers.get('retry-after'), '1');
    await refuses(response, 429, 'too_many_readers');
    for (const reader of readers) await reader.body?.cancel();
  },

  async wrong({ gateway, mock, make, refuses }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    const trap = `${mock.origin}/trap`;
    const answers: [number, Record<string, string>, ErrorCode][] = [
      [200, { 'content-type': 'text/html' }, 'upstream_garbled'],
      [200, {}, 'upstream_garbled'],
      [200, { 'content-type': 'video/mp4', 'content-encoding': 'gzip' }, 'upstream_garbled'],
      [206, { 'content-type': 'multipart/byteranges; boundary=x' }, 'upstream_garbled'],
      [302, { location: trap }, 'upstream_broken'],
      [307, { location: trap }, 'upstream_broken'],
      [401, {}, 'upstream_credential_refused'],
      [500, {}, 'upstream_broken'],
    ];
    for (const [status, headers, code] of answers) {
      mock.intercept = (_request, response) => {
        response.writeHead(status, headers).end('<script>alert(1)</script>');
        return true;
      };
      await refuses(await gateway.request(path), 502, code);
    }
    assert.equal(mock.find('GET', /trap/).length, 0);
  },

  async silent({ gateway, mock, make, refuses }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    mock.intercept = () => true;
    await refuses(await gateway.request(path), 504, 'upstream_timed_out');
  },

  async storeAway({ gateway, make, refuses }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    gateway.line.cut();
    await refuses(await gateway.request(path), 503, 'store_unavailable');
  },

  async fault({ gateway, make, refuses }: VideoGateway, address: ContentAddress): Promise<void> {
    const path = address(await make());
    const response = await gateway.withoutTable('video_job', () => gateway.request(path));
    await refuses(response, 500, 'internal_error');
  },
};

/** Tests the guarantees that both addresses share. */
export function proveContent(open: VideoGateway, address: ContentAddress): void {
  test('206: a range; what is none is the whole', () => CONTENT_CASES.ranges(open, address));
  test('304: it has not changed', () => CONTENT_CASES.validators(open, address));
  test('410: the provider has deleted the video', () => CONTENT_CASES.gone(open, address));
  test('416: a range beyond its end', () => CONTENT_CASES.outOfRange(open, address));
  test('429: too many read it at the same time', () => CONTENT_CASES.crowded(open, address));
  test('500: a fault of the gateway', () => CONTENT_CASES.fault(open, address));
  test('502: no video, a redirect or a refusal, none of which is passed on', () =>
    CONTENT_CASES.wrong(open, address));
  test('503: the database is unavailable', () => CONTENT_CASES.storeAway(open, address));
  test('504: a provider that does not answer', () => CONTENT_CASES.silent(open, address));
}

import { after, afterEach, before, test } from 'node:test';
import {
  CONTENT_CASES,
  type ContentAddress,
  type VideoGateway,
  openVideoGateway,
} from '../../../../../test/support/video-gateway.ts';

let open: VideoGateway;
before(async () => void (open = await openVideoGateway()));
after(() => open[Symbol.asyncDispose]());
afterEach(() => {
  open.mock.clear();
  open.gateway.line.mend();
});

const address: ContentAddress = ({ id }) => `/v1/videos/${id}/content`;
const ask = (path: string, headers: Record<string, string> = {}) => open.gateway.request(path, { headers });

test('200: the whole video, or its head alone', () => CONTENT_CASES.whole(open, address));
test('206: a range; what is none is the whole', () => CONTENT_CASES.ranges(open, address));
test('304: it has not changed', () => CONTENT_CASES.validators(open, address));

test('400: a variant that is not kept', async () => {
  const video = await open.make();
  await open.refuses(await ask(`${address(video)}?variant=thumbnail`), 400, 'unsupported_feature');
});

test('401: no key', async () => {
  await open.refuses(
    await ask('/v1/videos/video_x/content', { authorization: '' }),
    401,
    'missing_credential',
  );
});

test('403: a credential that is no regular key', async () => {
  const { secret } = await open.gateway.accounts.directory.createAdminKey({ label: 'admin' });
  const headers = { authorization: `Bearer ${secret}` };
  await open.refuses(await ask('/v1/videos/video_x/content', headers), 403, 'wrong_credential');
});

test('404: unknown, another project’s or deleted', async () => {
  const video = await open.make();
  const { apiKey } = await open.gateway.createAccount();
  await open.refuses(await ask(address(video), { authorization: `Bearer ${apiKey}` }), 404, 'not_found');
  await open.refuses(await ask('/v1/videos/video_x/content'), 404, 'not_found');
  await open.gateway.request(`/v1/videos/${video.id}`, { method: 'DELETE' });
  await open.refuses(await ask(address(video)), 404, 'not_found');
});

test('409: it is not finished', () => CONTENT_CASES.unready(open, address));
test('410: the provider keeps it no longer', () => CONTENT_CASES.gone(open, address));
test('416: a range beyond its end', () => CONTENT_CASES.outOfRange(open, address));
test('429: too many read it at the same time', () => CONTENT_CASES.crowded(open, address));
test('500: a fault of the gateway', () => CONTENT_CASES.fault(open, address));
test('502: no video, a redirect, a refusal: nothing of it is passed on', () =>
  CONTENT_CASES.wrong(open, address));
test('503: the database is away', () => CONTENT_CASES.storeAway(open, address));
test('504: a provider that does not answer', () => CONTENT_CASES.silent(open, address));

import { test } from 'node:test';
import {
  CONTENT_CASES,
  type ContentAddress,
  proveContent,
} from '../../../../../test/support/video-content.ts';
import { asKey } from '../../../../../test/support/video-client.ts';
import { shareVideoGateway } from '../../../../../test/support/video-gateway.ts';

const open = shareVideoGateway();

const address: ContentAddress = ({ id }) => `/v1/videos/${id}/content`;
const ask = (path: string, headers: Record<string, string> = {}) => open.gateway.request(path, { headers });

test('200: the whole video, or only its headers for HEAD', () => CONTENT_CASES.whole(open, address));

test('400: a variant that does not exist', async () => {
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
  await open.refuses(await ask('/v1/videos/video_x/content', asKey(secret)), 403, 'wrong_credential');
});

test('404: unknown, another project’s or deleted', async () => {
  const video = await open.make();
  const { apiKey } = await open.gateway.createAccount();
  await open.refuses(await ask(address(video), asKey(apiKey)), 404, 'not_found');
  await open.refuses(await ask('/v1/videos/video_x/content'), 404, 'not_found');
  await open.gateway.request(`/v1/videos/${video.id}`, { method: 'DELETE' });
  await open.refuses(await ask(address(video)), 404, 'not_found');
});

test('409: it is not finished', () => CONTENT_CASES.unready(open, address));
proveContent(open, address);

import { after, afterEach, before, test } from 'node:test';
import type { ErrorCode } from '#errors';
import { type InProcessGateway, openInProcess } from './in-process.ts';
import { proveKeyRefusals } from './key-refusals.ts';
import { type MockVideoProvider, createVideoConfig, startMockVideoProvider } from './mock-video-provider.ts';
import { assertRefusal } from './refusal.ts';
import { type Video, asKey, finishVideo, orderVideo } from './video-client.ts';

/** A gateway in the test's process with a video provider. */
export interface VideoGateway extends AsyncDisposable {
  gateway: InProcessGateway;
  mock: MockVideoProvider;
  /** A completed video of the account, or of another key. */
  make(fields?: Record<string, unknown>, headers?: Record<string, string>): Promise<Video>;
  /** Asserts that an answer is this refusal; returns its message. */
  refuses(response: Response, status: number, code: ErrorCode): Promise<string>;
}

/** One for all tests of a file; before each, the provider is reset and the database available. */
export function shareVideoGateway(): VideoGateway {
  const shared = {} as VideoGateway;
  before(async () => void Object.assign(shared, await openVideoGateway()));
  after(() => shared[Symbol.asyncDispose]());
  afterEach(() => {
    shared.mock.clear();
    shared.gateway.line.mend();
  });
  return shared;
}

export async function openVideoGateway(): Promise<VideoGateway> {
  const mock = await startMockVideoProvider();
  const gateway = await openInProcess({ config: createVideoConfig(mock.origin), limits: { bodyMs: 2_000 } });
  return {
    gateway,
    mock,
    make: async (fields, headers) =>
      finishVideo(gateway, (await orderVideo(gateway, fields, headers)).id, headers),
    refuses: (response, status, code) => assertRefusal(response, { format: 'chat', status, code }),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
}

/** Tests the refusals common to all endpoints of one video. */
export function proveVideoRefusals(
  open: VideoGateway,
  ask: (id: string, headers?: Record<string, string>) => Promise<Response>,
): void {
  test('404: unknown, or another project’s', async () => {
    const { id } = await orderVideo(open.gateway);
    const { apiKey } = await open.gateway.createAccount();
    await open.refuses(await ask(id, asKey(apiKey)), 404, 'not_found');
    await open.refuses(await ask('video_x'), 404, 'not_found');
  });

  proveKeyRefusals({
    gateway: () => open.gateway,
    format: 'chat',
    ask: (headers) => ask('video_x', headers),
    table: 'video_job',
  });
}

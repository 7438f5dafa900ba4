import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, systemRandom } from '#base';
import { openFreshAccounts } from '../../test/support/fresh-accounts.ts';
import { createVideos } from './videos.ts';

test('a stop ends events on their way to a receiver that does not answer; they are sent again later', async () => {
  await using fresh = await openFreshAccounts();
  const { database, accounts, caller } = fresh;
  const sent = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<undefined>();
  const videos = createVideos({
    database,
    accounts,
    clock: systemClock,
    random: systemRandom,
    secret: Buffer.alloc(32),
    exclusive: true,
    notices: {
      post: () => {
        sent.resolve(undefined);
        return ended.promise;
      },
      close: async () => ended.resolve(undefined),
    },
    live: () => ({ videos: { expireMs: 60_000, linkMs: 60_000 } }),
    onFault: (error: unknown) => assert.fail(String(error)),
  } as unknown as Parameters<typeof createVideos>[0]);
  await database.query({ text: 'ALTER TABLE video_event DROP CONSTRAINT video_event_job_id_fkey' }); // its job is not asked for
  await database.query({
    text: `WITH hook AS (INSERT INTO video_webhook VALUES ($1, 'https://receiver.example', 1))
      INSERT INTO video_event (id, type, job_id, project_id, created_at)
        VALUES ('evt_1', 'video.completed', 'video_1', $1, now())`,
    values: [caller.projectId],
  });
  await videos.start();
  await sent.promise;
  await videos.close();
  const { rows } = await database.query({
    text: 'SELECT id FROM video_event WHERE delivered_at IS NULL AND abandoned_at IS NULL',
  });
  assert.deepEqual(rows, [{ id: 'evt_1' }]);
});

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** A video as the gateway returns it. */
export interface Video {
  id: string;
  object: string;
  status: string;
  progress: number;
  seconds: string;
  size: string;
  completed_at: number | null;
  error: { code: string; message: string } | null;
  content?: { url: string; expires_at: number }[];
}

/** Sends requests with a key. */
interface Requester {
  request(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

export const asKey = (secret: string) => ({ authorization: `Bearer ${secret}` });

const LONGEST_MS = 60_000;
const EVERY_MS = 25;

export async function orderVideo(
  gateway: Requester,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Video> {
  const response = await gateway.post(
    '/v1/videos',
    { model: 'open-video', prompt: 'a cat', ...fields },
    headers,
  );
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Video;
}

/** Polls a video until its status is final. */
export async function finishVideo(
  gateway: Requester,
  id: string,
  headers: Record<string, string> = {},
): Promise<Video> {
  for (let waitedMs = 0; waitedMs < LONGEST_MS; waitedMs += EVERY_MS) {
    const response = await gateway.request(`/v1/videos/${id}`, { headers });
    assert.equal(response.status, 200);
    const video = (await response.json()) as Video;
    if (video.status !== 'queued' && video.status !== 'in_progress') return video;
    await sleep(EVERY_MS);
  }
  throw new Error(`the video ${id} did not come to an end`);
}

import { setTimeout as sleep } from 'node:timers/promises';

const MOST_TRIES = 60;
const PAUSE_MS = 500;

/** Repeats a request that an overloaded database refused, as clients do after 503: hundreds at once are too many for a slow machine. */
export async function sendPatiently(send: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await send();
    if (response.status !== 503 || tries === MOST_TRIES) return response;
    const text = await response.clone().text();
    if (!text.includes('store_unavailable')) return response;
    await sleep(PAUSE_MS);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

const MOST_TRIES = 60;
const PAUSE_MS = 500;
/** The code in OpenAI's format, the message in the others. */
const STORE_DOWN = /store_unavailable|gateway’s database/;

/** Repeats a request that an overloaded database refused, as clients do after 503: hundreds at once are too many for a slow machine. */
export async function sendPatiently(send: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await send();
    if (response.status !== 503 || tries === MOST_TRIES) return response;
    if (!STORE_DOWN.test(await response.clone().text())) return response;
    await sleep(PAUSE_MS);
  }
}

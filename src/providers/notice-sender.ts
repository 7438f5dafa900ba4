import { Agent } from 'undici';

const LIMIT_MS = 10_000;
const MOST_ANSWER_BYTES = 16 * 1024;

/** Sends notices to addresses that the operator configured. */
export interface NoticeSender {
  /** Posts a body; resolves with the status, or `undefined` if no answer came in time. Follows no redirect. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
  ): Promise<number | undefined>;
  close(): Promise<void>;
}

export function createNoticeSender(): NoticeSender {
  const agent = new Agent({
    allowH2: false,
    connect: { timeout: LIMIT_MS },
    headersTimeout: LIMIT_MS,
    bodyTimeout: LIMIT_MS,
  });
  return {
    post: async (url, headers, body) => {
      const { origin, pathname, search } = new URL(url);
      const options = { origin, path: pathname + search, method: 'POST' as const, headers, body };
      try {
        const answer = await agent.request({ ...options, signal: AbortSignal.timeout(LIMIT_MS) });
        // Only its status counts; a short answer is read, so that the connection can be used again.
        void answer.body.dump({ limit: MOST_ANSWER_BYTES }).catch(() => undefined);
        return answer.statusCode;
      } catch {
        return undefined;
      }
    },
    close: () => agent.destroy(),
  };
}

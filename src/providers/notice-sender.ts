import { Agent } from 'undici';

const LIMIT_MS = 10_000;
const MOST_ANSWER_BYTES = 16 * 1024;
/** An upload of some megabytes takes longer. */
const UPLOAD_LIMIT_MS = 120_000;
const MOST_READ_BYTES = 2 * 1024;

interface Upload {
  method: 'POST' | 'PUT';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
}

/** Sends notices to addresses that the operator configured. */
export interface NoticeSender {
  /** Posts a body; resolves with the status, or `undefined` if no answer came in time. Follows no redirect. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
  ): Promise<number | undefined>;
  /** Sends a large body; resolves with the status and the beginning of the answer. Throws if none came in time. */
  upload(request: Upload): Promise<{ status: number; text: string }>;
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
    upload: async ({ url, ...request }) => {
      const { origin, pathname, search } = new URL(url);
      const options = { origin, path: pathname + search, ...request };
      const limits = { headersTimeout: UPLOAD_LIMIT_MS, signal: AbortSignal.timeout(UPLOAD_LIMIT_MS) };
      const { statusCode, body } = await agent.request({ ...options, ...limits });
      return { status: statusCode, text: await readStart(body) };
    },
    close: () => agent.destroy(),
  };
}

async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes >= MOST_READ_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MOST_READ_BYTES).toString('utf8');
}

import { Agent, type Dispatcher } from 'undici';

const LIMIT_MS = 10_000;
const MOST_ANSWER_BYTES = 16 * 1024;
/** An upload of some megabytes takes longer. */
const UPLOAD_LIMIT_MS = 120_000;
const MOST_READ_BYTES = 2 * 1024;

interface OutgoingRequest {
  method: 'POST' | 'PUT';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** Ends it. */
  signal?: AbortSignal;
}

/** Sends notices to addresses that the operator configured. */
export interface NoticeSender {
  /** Posts a body; resolves with the status, or `undefined` if no answer came in time. Follows no redirect. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
  ): Promise<number | undefined>;
  /** Sends a large body; resolves with the status and, of a refusal, the beginning of the answer. Throws if none came in time. */
  upload(request: OutgoingRequest): Promise<{ status: number; text: string }>;
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
        leave(answer.body);
        return answer.statusCode;
      } catch {
        return undefined;
      }
    },
    upload: async ({ url, signal, ...request }) => {
      const { origin, pathname, search } = new URL(url);
      const options = { origin, path: pathname + search, ...request };
      const timeout = AbortSignal.timeout(UPLOAD_LIMIT_MS);
      const limits = {
        headersTimeout: UPLOAD_LIMIT_MS,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      };
      const { statusCode, body } = await agent.request({ ...options, ...limits });
      if (statusCode < 200 || statusCode >= 300) return { status: statusCode, text: await readStart(body) };
      leave(body);
      return { status: statusCode, text: '' };
    },
    close: () => agent.destroy(),
  };
}

/** Only the status counts, however the answer ends; a short one is read, so that the connection can be used again. */
function leave(body: Dispatcher.ResponseData['body']): void {
  const signal = AbortSignal.timeout(LIMIT_MS);
  void body.dump({ limit: MOST_ANSWER_BYTES, signal }).catch(() => undefined);
}

/** The beginning of an answer, as far as it arrived. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      parts.push(part);
      bytes += part.byteLength;
      if (bytes >= MOST_READ_BYTES) break;
    }
  } catch {
    // The status is known all the same.
  }
  return Buffer.concat(parts).subarray(0, MOST_READ_BYTES).toString('utf8');
}

import { type JsonObject, isJsonObject, parseJsonObject, reasonOf } from '#base';
import { Agent } from 'undici';
import { readBounded } from './read-bounded.ts';
import { createRedactor, listHeaderSecrets } from './redact.ts';

const LIMIT_MS = 60_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_TEXT = 300;

/** Reads documents of a provider's administration API. */
export interface ReportReader {
  /** Follows no redirect. Throws an Error that names the address without its query, and never a secret. */
  read(address: URL): Promise<string>;
  close(): Promise<void>;
}

/** @param headers with the credential */
export function createReportReader(headers: Readonly<Record<string, string>>): ReportReader {
  const agent = new Agent({
    allowH2: false,
    connect: { timeout: LIMIT_MS },
    headersTimeout: LIMIT_MS,
    bodyTimeout: LIMIT_MS,
  });
  const redact = createRedactor(listHeaderSecrets(headers));
  return {
    read: async (address) => {
      const { origin, pathname, search } = address;
      try {
        const answer = await agent.request({
          origin,
          path: pathname + search,
          method: 'GET',
          headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
          signal: AbortSignal.timeout(LIMIT_MS),
        });
        const bytes = await readBounded(answer.body, { name: 'the answer', mostBytes: MOST_BYTES });
        const text = bytes.toString('utf8');
        if (answer.statusCode !== 200) throw new Error(describe(answer.statusCode, text));
        return text;
      } catch (error) {
        throw new Error(`${origin}${pathname}: ${redact(reasonOf(error))}`, { cause: undefined });
      }
    },
    close: () => agent.destroy(),
  };
}

function describe(status: number, text: string): string {
  const body = parseJsonObject(text) ?? {};
  const error: JsonObject = isJsonObject(body['error']) ? body['error'] : {};
  const message = typeof error['message'] === 'string' ? `: ${error['message'].slice(0, MOST_TEXT)}` : '';
  const advice = status === 401 || status === 403 ? '; it takes an administration key' : '';
  return `the provider answered with the status ${status}${message}${advice}`;
}

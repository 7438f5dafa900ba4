import { Agent } from 'undici';
import { type AddressRules, type HttpHeaders, createPublicLookup, parseOutsideUrl } from '#base';
import { readBounded } from './read-bounded.ts';

const LIMIT_MS = 30_000;
const LATE = /^(TimeoutError|(Connect|Headers|Body)TimeoutError)$/;
/** The most read of an answer that is not a document, so that its connection can be used again. */
const MOST_DUMPED_BYTES = 16 * 1024;
const MOST_NAMED = 40;

/** Reads documents from addresses on the public internet, or hosts that the operator trusts. */
export interface DocumentReader {
  /** Follows no redirect. Throws an Error with the reason if there is no document. */
  read(address: string, mostBytes: number): Promise<Buffer>;
  close(): Promise<void>;
}

export function createDocumentReader(rules: AddressRules): DocumentReader {
  const connect = { timeout: LIMIT_MS };
  const open = (agent: object) =>
    new Agent({ allowH2: false, headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS, ...agent });
  const trusted = open({ connect });
  const outside = open({ connect: { ...connect, lookup: createPublicLookup(rules.resolveHost) } });
  return {
    read: async (address, mostBytes) => {
      const found = parseOutsideUrl(address, rules);
      if (!('url' in found)) throw new Error(`its address must be ${found.expected}`);
      const { origin, pathname } = found.url;
      try {
        const { statusCode, headers, body } = await (found.isTrusted ? trusted : outside).request({
          origin,
          path: pathname,
          method: 'GET',
          headers: { 'accept-encoding': 'identity' },
          signal: AbortSignal.timeout(LIMIT_MS),
        });
        const complaint = describeHead(statusCode, headers);
        if (complaint === undefined) return await readBounded(body, { name: 'it', mostBytes });
        void body.dump({ limit: MOST_DUMPED_BYTES }).catch(() => undefined);
        throw new Error(complaint);
      } catch (error) {
        if (!(error instanceof Error) || !LATE.test(error.name)) throw error;
        throw new Error(`its server did not send all of it within ${LIMIT_MS / 1_000} seconds`, {
          cause: error,
        });
      }
    },
    close: async () => {
      await Promise.all([trusted.destroy(), outside.destroy()]);
    },
  };
}

/** The problem with the status or headers of an answer; undefined if there is none. */
function describeHead(status: number, headers: HttpHeaders): string | undefined {
  if (status !== 200) return describeStatus(status, headers['location']);
  const encoding = [headers['content-encoding'] ?? 'identity'].flat().join().toLowerCase();
  return encoding === 'identity'
    ? undefined
    : `its server compresses it (${encoding.slice(0, MOST_NAMED)}), which was not asked for; send it as it is`;
}

function describeStatus(status: number, location: HttpHeaders[string]): string {
  if (status < 300 || status >= 400) return `its server answered with the status ${status}`;
  const target = URL.parse(String(location))?.host;
  return `its server redirects${target === undefined ? '' : ` to ${target}`}, which is not followed; configure the final address`;
}

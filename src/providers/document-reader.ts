import { Agent } from 'undici';
import { type AddressRules, createPublicLookup, parseOutsideUrl } from '#base';

const LIMIT_MS = 30_000;
/** Of an answer that is none, so that its connection can be used again. */
const MOST_DUMPED_BYTES = 16 * 1024;

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
      const { statusCode, headers, body } = await (found.isTrusted ? trusted : outside).request({
        origin,
        path: pathname,
        method: 'GET',
        headers: { 'accept-encoding': 'identity' },
        signal: AbortSignal.timeout(LIMIT_MS),
      });
      if (statusCode === 200) return await readBounded(body, mostBytes);
      void body.dump({ limit: MOST_DUMPED_BYTES }).catch(() => undefined);
      throw new Error(describeStatus(statusCode, headers['location']));
    },
    close: async () => {
      await Promise.all([trusted.destroy(), outside.destroy()]);
    },
  };
}

function describeStatus(status: number, location: string | string[] | undefined): string {
  if (status < 300 || status >= 400) return `its server answered with the status ${status}`;
  const target = URL.parse(String(location))?.host;
  return `its server redirects${target === undefined ? '' : ` to ${target}`}, which is not followed; configure the final address`;
}

async function readBounded(body: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

import type { HttpHeaders } from '#base';
import { Agent } from 'undici';

const CONNECT_MS = 10_000;
/** The provider's limits apply at the gateway, and an answer may take as long as it allows. */
const NO_LIMIT = 0;
/** An answer with images has some megabytes. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** A response of a gateway, as its client receives it. */
export interface GatewayAnswer {
  status: number;
  headers: HttpHeaders;
  text: string;
}

interface GatewayRequest {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  signal: AbortSignal;
}

/** Calls a running gateway as its clients do. */
export interface GatewayClient {
  /** Throws if the gateway cannot be reached, or closes the connection before the end. */
  post(request: GatewayRequest): Promise<GatewayAnswer>;
  get(request: Omit<GatewayRequest, 'body'>): Promise<GatewayAnswer>;
  close(): Promise<void>;
}

export function createGatewayClient(url: string): GatewayClient {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, '');
  const agent = new Agent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: NO_LIMIT,
    bodyTimeout: NO_LIMIT,
  });
  const ask = async (
    method: 'GET' | 'POST',
    { path, ...request }: Omit<GatewayRequest, 'body'> & Partial<Pick<GatewayRequest, 'body'>>,
  ): Promise<GatewayAnswer> => {
    const answer = await agent.request({ origin, path: prefix + path, method, ...request });
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body as AsyncIterable<Uint8Array>) {
      bytes += part.byteLength;
      if (bytes > MOST_ANSWER_BYTES) throw new Error('the response is too large');
      parts.push(part);
    }
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: Buffer.concat(parts).toString('utf8'),
    };
  };
  return {
    post: (request) => ask('POST', request),
    get: (request) => ask('GET', request),
    close: () => agent.destroy(),
  };
}

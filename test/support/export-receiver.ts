import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver of webhooks or exports got. */
interface ReceivedRequest {
  id: string;
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/**
 * What it does with requests: accepts them, refuses them, drops connections unread, or takes them and fails or never
 * answers.
 */
type Mode = 'accepting' | 'refusing' | 'down' | 'failing' | 'silent';

export const RECEIVER_SECRET = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`;

/** Keeps what it takes. */
export class ExportReceiver implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  /** Requests that it did not take. */
  refused = 0;
  mode: Mode = 'accepting';
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<ExportReceiver> {
    const receiver = new ExportReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.mode === 'down' || this.mode === 'refusing') {
      this.refused += 1;
      if (this.mode === 'down') request.socket.destroy();
      else response.writeHead(503).end('closed for repairs');
      return;
    }
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return; // the sender has gone
    }
    const { method = '', url = '', headers } = request;
    const id = String(headers['webhook-id'] ?? '');
    this.requests.push({ id, method, url, headers, body: Buffer.concat(parts) });
    if (this.mode !== 'silent') response.writeHead(this.mode === 'failing' ? 500 : 204).end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Whether a request is signed as Standard Webhooks says, independent of the gateway's own code. */
export function isSigned({ headers, body }: ReceivedRequest, secret = RECEIVER_SECRET): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = Buffer.concat([
    Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`),
    body,
  ]);
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

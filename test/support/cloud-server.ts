import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject, parseJsonObject } from '#base';

/** A request as a cloud saw it. */
export interface CloudRequest {
  path: string;
  headers: Record<string, string>;
  rawBody: string;
  body: JsonObject;
}

/** A cloud's answer: JSON, or pieces of bytes sent one after the other. */
export type CloudReply =
  | { status?: number; headers?: Record<string, string>; json: JsonObject }
  | { status?: number; contentType: string; pieces: readonly (Buffer | string)[] };

/** A cloud on a real socket. */
export interface CloudServer extends AsyncDisposable {
  url: string;
  requests: CloudRequest[];
  /** The latest request. */
  readonly last: CloudRequest;
}

export async function startCloudServer(reply: (request: CloudRequest) => CloudReply): Promise<CloudServer> {
  const requests: CloudRequest[] = [];
  const server = createServer((incoming, response) => {
    void read(incoming).then((request) => {
      requests.push(request);
      return write(response, reply(request));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get last() {
      const last = requests.at(-1);
      if (!last) throw new Error('the cloud was not asked');
      return last;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(incoming: IncomingMessage): Promise<CloudRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const rawBody = Buffer.concat(parts).toString('utf8');
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return { path: incoming.url ?? '', headers, rawBody, body: parseJsonObject(rawBody) ?? {} };
}

async function write(response: ServerResponse, reply: CloudReply): Promise<void> {
  if ('json' in reply) {
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.json));
    return;
  }
  response.writeHead(reply.status ?? 200, { 'content-type': reply.contentType });
  for (const piece of reply.pieces) {
    response.write(piece);
    await new Promise(setImmediate);
  }
  response.end();
}

/** Bytes cut into pieces regardless of boundaries. */
export function cutInto(bytes: Buffer, length: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.subarray(at, at + length));
  return pieces;
}

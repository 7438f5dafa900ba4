import { type IncomingMessage, type ServerResponse, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { parentPort } from 'node:worker_threads';
import { listHostileRequests } from './hostile-bodies.ts';
import { findSmallAnswer } from './small-answers.ts';

/** Messages to and from the attacking thread. */
export interface HostileOrders {
  url: string;
  apiKey: string;
  adminKey: string;
  bytes: number;
  /** Takes each nth request. */
  every: number;
  /** Takes those whose name contains this. */
  only: string;
}
export interface HostileAnswer {
  name: string;
  status: number;
  requestId: string;
  /** Why the connection broke, or what the error says. */
  message: string;
  ms: number;
}
export type HostileNews = { upstream: string } | { answer: HostileAnswer } | { isOver: true };

const AT_ONCE = 4;

/** A provider that reads everything and answers little. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  request.resume().on('end', () => {
    const { type, text: body } = findSmallAnswer(request.url ?? '');
    response.writeHead(200, { 'content-type': type }).end(body);
  });
}

function report(news: HostileNews): void {
  parentPort?.postMessage(news);
}

async function attack({ url, apiKey, adminKey, bytes, every, only }: HostileOrders): Promise<void> {
  const requests = listHostileRequests(bytes)
    .filter(({ name }) => name.includes(only))
    .filter((_, at) => at % every === 0)
    .values();
  const lane = async (): Promise<void> => {
    for (const { name, path, contentType, isAdmin, createBody } of requests) {
      const headers = { 'content-type': contentType, authorization: `Bearer ${isAdmin ? adminKey : apiKey}` };
      const body = createBody();
      const startedMs = performance.now();
      const answered = await post(`${url}${path}`, headers, body);
      report({ answer: { name, ...answered, ms: performance.now() - startedMs } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  report({ isOver: true });
}

/** The status of a request; 0 where the connection broke. */
async function post(
  url: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Pick<HostileAnswer, 'status' | 'requestId' | 'message'>> {
  const request = send(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': String(body.length) },
    agent: false,
  });
  try {
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    request.on('error', () => undefined);
    const message = (await text(response)).slice(0, 300);
    const { statusCode = 0, headers: answered } = response;
    return { status: statusCode, requestId: String(answered['x-request-id'] ?? ''), message };
  } catch (error) {
    return { status: 0, requestId: '', message: String(error) };
  }
}

const server = createServer(answer).listen(0, '127.0.0.1');
await once(server, 'listening');
parentPort?.on('message', (orders: HostileOrders) => void attack(orders));
report({ upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

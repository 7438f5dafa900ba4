import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parseJsonObject } from '#base';
import type { UpstreamFormat } from '../upstream-exchange.ts';
import { findSmallAnswer } from '../small-answers.ts';
import { type FuzzAnswer, createFuzzAnswer, createHonestAnswer } from './fuzz-answer.ts';
import { ANSWER_MARKER } from './fuzz-case.ts';

/** A provider of every format. */
interface FuzzProvider extends Disposable {
  url: string;
}

const KEEP_ALIVE_MS = 600_000;

/** An honest provider, or a hostile one: its answer is the damaged one that the request names. */
export async function startFuzzProvider(isHostile: boolean): Promise<FuzzProvider> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    answer(request, response, isHostile).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, isHostile: boolean): Promise<void> {
  const body = await buffer(request);
  const path = request.url ?? '';
  const format = findFormat(path);
  if (!format) {
    const input = parseJsonObject(body.toString())?.['input'];
    const { type, text } = findSmallAnswer(path, Array.isArray(input) ? input.length : 1);
    response.writeHead(200, { 'content-type': type }).end(text);
    return;
  }
  const stream = isStream(path, body);
  const number = isHostile && Number(ANSWER_MARKER.exec(body.toString())?.[1]);
  send(
    response,
    number === false ? createHonestAnswer(format, stream) : createFuzzAnswer(number, format, stream),
  );
}

function findFormat(path: string): UpstreamFormat | undefined {
  if (/\/messages(?:\?|$)/.test(path)) return 'messages';
  if (/\/responses(?:\?|$)/.test(path)) return 'responses';
  if (/enerateContent/.test(path)) return 'gemini';
  return /\/chat\/completions/.test(path) ? 'chat' : undefined;
}

/** Only the member of the whole body counts; inner ones may have the same name. */
function isStream(path: string, body: Buffer): boolean {
  if (path.includes('streamGenerateContent')) return true;
  return body.includes('"stream":true') && parseJsonObject(body.toString())?.['stream'] === true;
}

function send(response: ServerResponse, { status, headers, body, isCut }: FuzzAnswer): void {
  response.writeHead(status, { ...headers, ...(isCut && { 'content-length': String(body.length + 10) }) });
  if (!isCut) response.end(body);
  else response.write(body, () => response.destroy());
}

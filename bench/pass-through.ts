import { type ServerResponse, createServer } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { announce } from './child.ts';

/**
 * The baseline: node:http in, undici's dispatch out, unchanged bytes, back-pressure both ways. No parsing, no
 * authentication, no ledger.
 */
const [origin = ''] = process.argv.slice(2);
const pool = new Pool(origin, { connections: null, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });

class Relay implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('drain', () => this.#controller?.resume());
    response.on('close', () => {
      if (!response.writableFinished) this.#controller?.abort(new Error('the client disconnected'));
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    delete headers['connection'];
    delete headers['keep-alive'];
    delete headers['transfer-encoding'];
    this.#response.writeHead(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(): void {
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(502).end();
  }
}

const server = createServer((request, response) => {
  const headers = {
    'content-type': request.headers['content-type'] ?? 'application/json',
    'content-length': request.headers['content-length'] ?? '0',
    authorization: 'Bearer bench',
  };
  pool.dispatch({ method: 'POST', path: request.url ?? '/', headers, body: request }, new Relay(response));
});

server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', 4096, () => announce(server));

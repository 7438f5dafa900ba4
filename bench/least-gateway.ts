import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import pg from 'pg';
import { Pool } from 'undici';
import { announce } from './child.ts';

/**
 * The minimum work of a gateway with a ledger, beside `pass-through.ts`: it parses the request, commits a hold, calls
 * the provider, parses the answer and commits a settlement, with one table each and no limits, prices, keys or formats.
 * Concurrent requests share a statement. Without `DATABASE_URL` it only parses and serializes.
 */
const [origin = ''] = process.argv.slice(2);
const database = process.env['DATABASE_URL'];
const pool = new Pool(origin, { connections: null, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });

interface Waiting {
  row: object;
  done(): void;
}

/** Batches rows of one table: rows that arrive during a statement are written by the next. */
class Batch {
  readonly #client: pg.Client;
  readonly #name: string;
  readonly #text: string;
  #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(client: pg.Client, name: string, text: string) {
    this.#client = client;
    this.#name = name;
    this.#text = text;
  }

  add(row: object, done: () => void): void {
    this.#waiting.push({ row, done });
    if (this.#isBusy) return;
    this.#isBusy = true;
    setImmediate(() => this.#send());
  }

  #send(): void {
    const sent = this.#waiting;
    this.#waiting = [];
    const values = [JSON.stringify(sent.map(({ row }) => row))];
    this.#client.query({ name: this.#name, text: this.#text, values }, (error: Error | null) => {
      if (error) throw error;
      if (this.#waiting.length > 0) this.#send();
      else this.#isBusy = false;
      for (const { done } of sent) done();
    });
  }
}

interface Books {
  hold: Batch;
  settle: Batch;
}

const TABLES = `
  CREATE TABLE hold (id text PRIMARY KEY, amount numeric NOT NULL);
  CREATE TABLE settlement (id text PRIMARY KEY, row jsonb NOT NULL)`;
const HOLD = `
  INSERT INTO hold SELECT value ->> 'id', (value ->> 'amount')::numeric FROM jsonb_array_elements($1::jsonb)`;
const SETTLE = `
  WITH settled AS (SELECT value ->> 'id' AS id, value FROM jsonb_array_elements($1::jsonb)),
  released AS (DELETE FROM hold USING settled WHERE hold.id = settled.id)
  INSERT INTO settlement SELECT id, value FROM settled`;

async function openBooks(url: string): Promise<Books> {
  const clients = [new pg.Client(url), new pg.Client(url)] as const;
  for (const client of clients) await client.connect();
  await clients[0].query(TABLES);
  return { hold: new Batch(clients[0], 'hold', HOLD), settle: new Batch(clients[1], 'settle', SETTLE) };
}

interface Answer {
  usage: { prompt_tokens: number; completion_tokens: number };
}

const books = database === undefined ? undefined : await openBooks(database);
let count = 0;

function serve(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  count += 1;
  const id = `request-${count}`;
  const asked = JSON.parse(body.toString()) as Record<string, unknown>;
  const begin = (): void => ask(request.url ?? '/', JSON.stringify(asked), finish);
  const finish = (bytes: Buffer): void => {
    const answer = JSON.parse(bytes.toString()) as Answer;
    const end = (): void => {
      const printed = Buffer.from(JSON.stringify({ ...answer, id }));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': printed.length });
      response.end(printed);
    };
    const row = { id, model: asked['model'], status: 200, finishReason: 'completed', ...answer.usage };
    if (books) books.settle.add(row, end);
    else end();
  };
  if (books) books.hold.add({ id, amount: '123456789' }, begin);
  else begin();
}

function ask(path: string, body: string, done: (bytes: Buffer) => void): void {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' };
  const parts: Buffer[] = [];
  pool.dispatch(
    { method: 'POST', path, headers, body },
    {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (_, part) => parts.push(part),
      onResponseEnd: () => done(Buffer.concat(parts)),
      onResponseError: (_, error) => {
        throw error;
      },
    },
  );
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => serve(request, response, Buffer.concat(parts)));
});

server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', 4096, () => announce(server));

import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CatalogueFiles,
  type SigningKey,
  createSigningKey,
  readSigningKey,
  renderFeed,
  signFeed,
} from '#catalogue';

function createKey(): SigningKey {
  const key = readSigningKey(createSigningKey());
  if (!key) throw new Error('a new key is one');
  return key;
}

/** A model at a provider of the catalogue, at a price in USD per million tokens. */
export const offer = (id: string, input: string, output: string): CatalogueFiles['models'][number] => ({
  id,
  name: id,
  family: 'feedling',
  description: 'A model that only a feed has.',
  created: '2026-01-01',
  input: ['text'],
  output: ['text'],
  tokenizer: 'Other',
  mappings: [
    {
      provider: 'groq',
      externalId: id,
      capabilities: [],
      contextLength: 100_000,
      maxOutput: 1_000,
      price: { input, output },
    },
  ],
});

type Publication = Parameters<typeof renderFeed>[1];

/** A web server on which somebody publishes a catalogue feed. */
export class FeedPublisher implements AsyncDisposable {
  readonly #key = createKey();
  readonly #files = new Map<string, string>();
  readonly #server = createServer((request, response) => this.#serve(request, response));
  /** How often the feed was fetched. */
  fetched = 0;
  /** Where it redirects to, if it does. */
  redirect: string | undefined;

  static async start(): Promise<FeedPublisher> {
    const publisher = new FeedPublisher();
    publisher.#server.listen(0, '127.0.0.1');
    await once(publisher.#server, 'listening');
    return publisher;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/feed.json`;
  }

  get publicKey(): string {
    return this.#key.publicKey;
  }

  /** Publishes files as `catalogue sign` does. */
  publish(models: CatalogueFiles['models'], publication: Partial<Publication> & { sequence: number }): void {
    this.publishText(renderFeed({ providers: [], models }, { publishedAt: Date.now(), ...publication }));
  }

  /** Publishes and signs any text. */
  publishText(text: string): void {
    this.#files.set('/feed.json', text);
    this.#files.set('/feed.json.sig', signFeed(Buffer.from(text), this.#key));
  }

  /** Changes the feed, and not its signature. */
  tamper(change: (text: string) => string): void {
    this.#files.set('/feed.json', change(this.#files.get('/feed.json') ?? ''));
  }

  #serve({ url = '' }: IncomingMessage, response: ServerResponse): void {
    if (url === '/feed.json') this.fetched += 1;
    const text = this.#files.get(url);
    if (this.redirect !== undefined) response.writeHead(302, { location: this.redirect }).end();
    else if (text === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

import type { LogRow } from '#logs';
import { type Books, openBooks } from './books.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';

interface RoutedParts {
  cheap: MockUpstream;
  dear: MockUpstream;
  gateway: Gateway;
  books: Books;
}

/** A gateway that routes adaptively, its two mock providers and its books. */
export class RoutedGateway implements AsyncDisposable, RoutedParts {
  readonly cheap: MockUpstream;
  readonly dear: MockUpstream;
  readonly gateway: Gateway;
  readonly books: Books;

  private constructor({ cheap, dear, gateway, books }: RoutedParts) {
    this.cheap = cheap;
    this.dear = dear;
    this.gateway = gateway;
    this.books = books;
  }

  /** `describe` returns the `providers` of the configuration. */
  static async start(
    describe: (cheap: string, dear: string) => readonly string[],
    env: Record<string, string> = {},
  ): Promise<RoutedGateway> {
    const [cheap, dear] = [await startMockUpstream(), await startMockUpstream()];
    const providers = describe(cheap.baseUrl, dear.baseUrl);
    const gateway = await startGateway({
      config: ['routing: { hedging: false }', 'providers:', ...providers, ''].join('\n'),
      env: { SLUICE_ADAPTIVE_ROUTING: 'on', ...env },
    });
    return new RoutedGateway({ cheap, dear, gateway, books: await openBooks(gateway.dataDir) });
  }

  /** Forgets what the providers were asked and are to answer. */
  clear(): void {
    this.cheap.clear();
    this.dear.clear();
  }

  /** A complete answer with its row. */
  async read(response: Response) {
    const text = await response.text();
    const row = await this.books.getRow(response.headers.get('x-request-id') ?? '');
    return { status: response.status, text, row, attempts: describeAttempts(row) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.books[Symbol.asyncDispose]();
    await this.gateway[Symbol.asyncDispose]();
    await this.cheap.close();
    await this.dear.close();
  }
}

/** Each attempt of a request: the provider, the credential if it has a name, and the outcome. */
export function describeAttempts({ attempts }: Pick<LogRow, 'attempts'>): string[] {
  return attempts.map(({ providerId, credential, outcome }) =>
    [providerId, ...(credential === undefined ? [] : [credential]), outcome].join(' '),
  );
}

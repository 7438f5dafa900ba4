import type { LogRow } from '#logs';
import { type Books, openBooks } from './books.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';

interface RoutedParts {
  cheap: MockUpstream;
  expensive: MockUpstream;
  gateway: Gateway;
  books: Books;
}

/** A gateway that routes adaptively, its two mock providers and its books. */
export class RoutedGateway implements AsyncDisposable, RoutedParts {
  readonly cheap: MockUpstream;
  readonly expensive: MockUpstream;
  readonly gateway: Gateway;
  readonly books: Books;

  private constructor({ cheap, expensive, gateway, books }: RoutedParts) {
    this.cheap = cheap;
    this.expensive = expensive;
    this.gateway = gateway;
    this.books = books;
  }

  /** `describe` returns the `providers` of the configuration. */
  static async start(
    describe: (cheap: string, expensive: string) => readonly string[],
    env: Record<string, string> = {},
  ): Promise<RoutedGateway> {
    const [cheap, expensive] = [await startMockUpstream(), await startMockUpstream()];
    const providers = describe(cheap.baseUrl, expensive.baseUrl);
    const gateway = await startGateway({
      config: ['routing: { hedging: false }', 'providers:', ...providers, ''].join('\n'),
      env: { SLUICE_ADAPTIVE_ROUTING: 'on', ...env },
    });
    return new RoutedGateway({ cheap, expensive, gateway, books: await openBooks(gateway.dataDir) });
  }

  /** Forgets what the providers were asked and are to answer. */
  clear(): void {
    this.cheap.clear();
    this.expensive.clear();
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
    await this.expensive.close();
  }
}

/** Each attempt of a request: the provider, the credential if it has a name, and the outcome. */
export function describeAttempts({ attempts }: Pick<LogRow, 'attempts'>): string[] {
  return attempts.map(({ providerId, credential, outcome }) =>
    [providerId, ...(credential === undefined ? [] : [credential]), outcome].join(' '),
  );
}

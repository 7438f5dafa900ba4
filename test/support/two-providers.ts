import assert from 'node:assert/strict';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';
import { type Reply, answer } from './upstream-replies.ts';

/** Health belongs to a model, so that each test takes one of its own. */
const SHARED = Array.from({ length: 40 }, (_, number) => `shared-${number}`);
const ALONE = Array.from({ length: 10 }, (_, number) => `alone-${number}`);

/** Two providers of the same models: the first costs half, in Chat with weights in fp8, the second in Messages with bf16. Some models are only at the first. */
export class TwoProviders implements AsyncDisposable {
  readonly first: MockUpstream;
  readonly second: MockUpstream;
  readonly #shared = SHARED.values();
  readonly #alone = ALONE.values();

  private constructor(first: MockUpstream, second: MockUpstream) {
    this.first = first;
    this.second = second;
  }

  static async start(): Promise<TwoProviders> {
    return new TwoProviders(await startMockUpstream(), await startMockUpstream());
  }

  /** The configuration of a gateway. */
  get config(): string {
    return [
      'providers:',
      ...describeProvider('first', 'chat', this.first.baseUrl),
      ...list([...SHARED, ...ALONE], '1', 'fp8'),
      ...describeProvider('second', 'messages', this.second.baseUrl),
      ...list(SHARED, '2', 'bf16'),
      '',
    ].join('\n');
  }

  /** A model of both that no test has used. */
  takeShared(): string {
    return this.#shared.next().value ?? assert.fail('not enough models');
  }

  /** A model of the first that no test has used. */
  takeAlone(): string {
    return this.#alone.next().value ?? assert.fail('not enough models');
  }

  script(atFirst: Reply, atSecond: Reply = answer({ text: 'second to none', chunks: 1 })): void {
    this.first.clear();
    this.second.clear();
    this.first.script({ reply: atFirst });
    this.second.script({ reply: atSecond });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.first.close();
    await this.second.close();
  }
}

/** The lines of a provider in a configuration, before those of its models. */
export function describeProvider(id: string, format: string, baseUrl: string): string[] {
  return [
    `  - id: ${id}`,
    `    format: ${format}`,
    `    baseUrl: ${baseUrl}`,
    `    apiKey: ${id}-key`,
    '    models:',
  ];
}

function list(ids: readonly string[], input: string, quantization: string): string[] {
  return ids.map(
    (id) =>
      `      - { id: ${id}, contextLength: 100000, maxOutput: 1000, quantization: ${quantization}, price: { input: "${input}", output: "2" } }`,
  );
}

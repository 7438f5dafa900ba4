import { type RandomSource, jitter } from '#base';

/** Posts bytes to an address of the operator; resolves with the status, or `undefined` if no answer came. */
export type PostBytes = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
) => Promise<number | undefined>;

interface OtlpTarget {
  /** The whole address, such as `https://collector.example/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  isJson: boolean;
}

interface SenderPorts {
  post: PostBytes;
  random: RandomSource;
  /** Before the first repetition; each further one waits twice as long. */
  firstDelayMs: number;
}

const MOST_TRIES = 5;
/** The statuses that OTLP allows to repeat. */
const REPEATABLE = [429, 502, 503, 504];

/** The result of a delivery: `undefined` if no answer came. */
export type DeliveryResult = { isAccepted: boolean; status: number | undefined };

/** Sends messages one at a time, and retries those that a receiver may accept later. */
export class OtlpSender {
  readonly #target: OtlpTarget;
  readonly #ports: SenderPorts;
  #isClosing = false;
  #wake: (() => void) | undefined;

  constructor(target: OtlpTarget, ports: SenderPorts) {
    this.#target = target;
    this.#ports = ports;
  }

  get isJson(): boolean {
    return this.#target.isJson;
  }

  async send(body: Uint8Array): Promise<DeliveryResult> {
    const { url, headers, isJson } = this.#target;
    const type = { 'content-type': isJson ? 'application/json' : 'application/x-protobuf' };
    let status: number | undefined;
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      status = await this.#ports.post(url, { ...headers, ...type }, body);
      if (status !== undefined && status >= 200 && status < 300) return { isAccepted: true, status };
      const mayRepeat = status === undefined || REPEATABLE.includes(status);
      if (!mayRepeat || this.#isClosing || tries === MOST_TRIES) break;
      await this.#pause(this.#ports.firstDelayMs * 2 ** (tries - 1));
    }
    return { isAccepted: false, status };
  }

  /** From here each message is sent at once, and only once more. */
  endRetries(): void {
    this.#isClosing = true;
    this.#wake?.();
  }

  #pause(delayMs: number): Promise<undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = (): void => resolve(undefined);
    const timer = setTimeout(wake, jitter(delayMs, this.#ports.random)).unref();
    this.#wake = wake;
    return promise.finally(() => clearTimeout(timer));
  }
}

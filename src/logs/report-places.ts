import { FairQueue, startDeadline } from '#base';
import { GatewayError } from '#errors';

/** Of the connections to the database, most are left to requests for models. */
const MOST_AT_ONCE = 6;
const MOST_WAITING = 256;
const WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  begin(): void;
  refuse(): void;
}

/** How many reports a process reads at once. Organizations wait in turn, so that one with many delays its own. */
export class ReportPlaces {
  readonly #most: number;
  readonly #queue = new FairQueue<Waiting>();
  #taken = 0;

  constructor(most = MOST_AT_ONCE) {
    this.#most = most;
  }

  /** Runs a report when it has a place; throws `store_unavailable` if that takes too long. */
  async run<Result>(tenant: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#taken < this.#most) this.#taken += 1;
    else await this.#wait(tenant);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /** Resolves once a place is the caller's. */
  #wait(tenant: string): Promise<undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const refuse = (): void => {
      this.#queue.remove(tenant, waiting);
      deadline.stop();
      reject(createBusy());
    };
    const deadline = startDeadline(WAIT_MS, refuse);
    const begin = (): void => {
      this.#queue.take(tenant, waiting);
      deadline.stop();
      resolve(undefined);
    };
    const waiting: Waiting = { begin, refuse };
    this.#queue.add(tenant, waiting, MOST_WAITING)?.refuse();
    return promise;
  }

  #passOn(): void {
    const [next] = this.#queue.heads;
    if (next) next.begin();
    else this.#taken -= 1;
  }
}

function createBusy(): GatewayError {
  return new GatewayError(
    'store_unavailable',
    `too many reports are read at once; retry in ${RETRY_AFTER_SECONDS} s`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

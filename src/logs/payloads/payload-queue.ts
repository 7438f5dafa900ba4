import type { Payload, Payloads } from './payloads.ts';

/** A bounded queue of payloads to write; under load, payloads are dropped first. */
export interface PayloadQueue {
  /** Queues a payload without waiting, or drops it if the queue is full. */
  keep(payload: Payload): void;
  /** Number of dropped payloads. */
  readonly dropped: number;
  /** Resolves once everything queued is written or dropped. */
  drain(): Promise<void>;
}

interface PayloadQueueOptions {
  payloads: Pick<Payloads, 'save'>;
  /** Called with the reason of the first loss, then at most once a minute. */
  onLoss(reason: string): void;
  mostBytes?: number;
  now(): number;
}

const MOST_BYTES = 32 * 1024 * 1024;
/** Estimated size of a payload besides its texts. */
const OVERHEAD_BYTES = 1_000;
const TELL_EVERY_MS = 60_000;

export function createPayloadQueue(options: PayloadQueueOptions): PayloadQueue {
  const { payloads, mostBytes = MOST_BYTES } = options;
  const queue: Payload[] = [];
  let bytes = 0;
  let dropped = 0;
  let reportedAtMs = -Infinity;
  let running: Promise<void> | undefined;

  const lose = (reason: string): void => {
    dropped += 1;
    if (options.now() - reportedAtMs < TELL_EVERY_MS) return;
    reportedAtMs = options.now();
    options.onLoss(reason);
  };
  const work = async (): Promise<void> => {
    for (let payload = queue.shift(); payload; payload = queue.shift()) {
      await payloads.save(payload).catch((error: unknown) => lose(String(error)));
      bytes -= sizeOf(payload);
    }
    running = undefined;
  };
  return {
    keep: (payload) => {
      if (bytes + sizeOf(payload) > mostBytes) {
        lose('payloads come faster than they are written');
        return;
      }
      queue.push(payload);
      bytes += sizeOf(payload);
      running ??= work();
    },
    get dropped() {
      return dropped;
    },
    drain: async () => {
      while (running) await running;
    },
  };
}

function sizeOf({ request, answer }: Payload): number {
  return request.kept.length + answer.kept.length + OVERHEAD_BYTES;
}

import type { Payload, Payloads } from './payloads.ts';

/** Where payloads wait to be written: a bounded place, and the first to give way. */
export interface PayloadKeeper {
  /** Takes a payload, or lets it go where too many wait; nobody waits for it. */
  keep(payload: Payload): void;
  /** How many were let go. */
  readonly dropped: number;
  /** Resolves once all that was taken is written or let go. */
  drain(): Promise<void>;
}

interface PayloadQueueOptions {
  payloads: Pick<Payloads, 'save'>;
  /** Told the reason of the first loss, and then once a minute at most. */
  onLoss(reason: string): void;
  mostBytes?: number;
  now(): number;
}

const MOST_BYTES = 32 * 1024 * 1024;
/** What a payload takes besides its texts. */
const OVERHEAD_BYTES = 1_000;
const TELL_EVERY_MS = 60_000;

export function createPayloadQueue(options: PayloadQueueOptions): PayloadKeeper {
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

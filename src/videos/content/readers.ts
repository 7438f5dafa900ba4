import { GatewayError } from '#errors';

const MOST_PER_VIDEO = 16;

/** Counts current readers per video, so that a leaked address cannot use up the gateway. */
export class Readers {
  readonly #counts = new Map<string, number>();

  /** Runs a read unless the video has too many readers. */
  async admit(logId: string, read: () => Promise<void>): Promise<void> {
    const count = this.#counts.get(logId) ?? 0;
    if (count >= MOST_PER_VIDEO) {
      throw new GatewayError(
        'too_many_readers',
        `this video is being read ${MOST_PER_VIDEO} times already; retry when one is done`,
        { retryAfterSeconds: 1 },
      );
    }
    this.#counts.set(logId, count + 1);
    try {
      await read();
    } finally {
      const left = (this.#counts.get(logId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(logId);
      else this.#counts.set(logId, left);
    }
  }
}

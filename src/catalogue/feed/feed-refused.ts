/** Why a feed was refused. */
const FEED_FAULTS = ['unreachable', 'signature', 'schema', 'rollback', 'invalid'] as const;

export type FeedFault = (typeof FEED_FAULTS)[number];

/** A feed that is not used. The message says what is wrong and what to do. */
export class FeedRefused extends Error {
  readonly fault: FeedFault;

  constructor(fault: FeedFault, message: string) {
    super(message);
    this.name = 'FeedRefused';
    this.fault = fault;
  }
}

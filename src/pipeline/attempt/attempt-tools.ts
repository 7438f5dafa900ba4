import type { PicoUsd } from '#base';
import type { Delivery } from '../answer/delivery.ts';
import type { MeteredUsage } from '../price/meter.ts';
import type { RouteTools } from './attempt-types.ts';

/** What all attempts of one trip share. */
export interface AttemptTools extends RouteTools {
  delivery: Pick<Delivery, 'push' | 'isReady' | 'onReady'>;
  /** What pays for the attempt together with it; absent if nothing else does. */
  share?: HoldShare;
  /** Called during delivery, so that a crash loses little. */
  onProgress(meter: MeteredUsage): void;
  /** Called with each attempt before anything is sent. */
  onOpen?(attempt: OpenAttempt): void;
}

/** What is paid from the same hold as an attempt: other choices, or the beginning of its answer. */
export interface HoldShare {
  /** The meter of all of it. */
  sum(meter: MeteredUsage): MeteredUsage;
  /** What was owed for the answer before the attempt. */
  earlier: PicoUsd;
}

/** An attempt as the other attempts of its trip see it. */
export interface OpenAttempt {
  meter: MeteredUsage;
  cancel(): void;
}

import type { Clock } from '#base';

/** The time of billing cycles and windows in tests; otherwise the database's clock, which all processes share. */
export type WindowClock = Pick<Clock, 'now'>;

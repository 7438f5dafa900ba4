import type { Clock } from '#base';

/** Where billing cycles and windows learn the time in tests; otherwise from the database, whose clock all processes share. */
export type WindowClock = Pick<Clock, 'now'>;

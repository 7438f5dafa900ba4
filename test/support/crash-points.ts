/**
 * Points at which a process can be killed: `CRASH_AT=<point>[:<pass>]` with `--import ./test/support/crash-at.ts`, at
 * that pass. In the order of a request, then those of the journal and of a start.
 */
export const CRASH_POINTS = [
  'before-hold',
  /** The statement is sent but not answered: it may be committed or not. */
  'hold-sent',
  'hold-committed',
  'dispatched',
  'mid-stream',
  'before-settle',
  'settle-sent',
  'settled',
  /** On a lease: the journal has it, no report has. */
  'settled-on-lease',
  'final-byte-sent',
  /** What was admitted and settled on leases is sent: it may be committed or not. */
  'report-sent',
  'reported',
  /** In the file, not yet made durable. */
  'journal-written',
  'journal-synced',
  /** PostgreSQL has confirmed all of a file; it is not removed yet. */
  'journal-confirmed',
  /** At a start: a file of the process before was taken over. */
  'journal-claimed',
  /** At a start: a record was written to PostgreSQL. */
  'journal-replayed',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Points only reached while PostgreSQL is unavailable. */
export const OUTAGE_POINTS: readonly CrashPoint[] = [
  'journal-written',
  'journal-synced',
  'journal-confirmed',
];
/** Points only reached by a start that finds a journal. */
export const START_POINTS: readonly CrashPoint[] = ['journal-claimed', 'journal-replayed'];
/** Points of requests with a hold of their own: leases are switched off. */
export const EXACT_POINTS: readonly CrashPoint[] = ['hold-sent', 'settle-sent'];

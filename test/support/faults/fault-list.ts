import { answer, hang, haltedAnswer } from '../upstream-replies.ts';
import { CHUNKS, type Fault } from './fault.ts';
import { PROVIDER_FAULTS } from './provider-faults.ts';
import { STREAM_FAULTS, STREAM_ONLY, beginsAndThen } from './stream-faults.ts';

const CLIENT: NonNullable<Fault['without']> = [
  { place: 'passing', why: 'of a client or a store, whose providers are good' },
  { place: 'beside another', why: 'of a client or a store, whose providers are good' },
];

/** Faults of clients and stores, at a good provider. */
const OTHER_FAULTS: readonly Fault[] = [
  {
    id: 'C1',
    name: 'client disconnects before the first byte',
    course: 'harmless',
    error: 'left',
    leaves: 'leaves-before',
    without: CLIENT,
    reply: () => hang(),
  },
  {
    id: 'C2',
    name: 'client disconnects in the middle of a stream',
    course: 'harmless',
    error: 'left',
    leaves: 'leaves-midway',
    without: [...CLIENT, STREAM_ONLY],
    reply: beginsAndThen(hang()),
  },
  {
    id: 'D1',
    name: 'PostgreSQL is gone before the request',
    course: 'final',
    error: 'store_unavailable',
    hasRetryAfter: true,
    without: CLIENT,
    store: { damage: (control) => control.cutDatabase(), mend: (control) => control.mendDatabase() },
    reply: ({ text }) => answer({ text, chunks: CHUNKS }),
  },
  {
    id: 'D1',
    name: 'PostgreSQL goes while the answer runs',
    course: 'harmless',
    without: CLIENT,
    store: {
      isMidway: true,
      damage: (control) => control.cutDatabase(),
      mend: (control) => control.mendDatabase(),
    },
    reply: ({ text, released }) => haltedAnswer(released, { text, chunks: CHUNKS }),
  },
  {
    id: 'D7',
    name: 'PostgreSQL keeps its connections and says nothing',
    course: 'final',
    error: 'store_unavailable',
    hasRetryAfter: true,
    without: CLIENT,
    store: { damage: (control) => control.holdDatabase(), mend: (control) => control.mendDatabase() },
    reply: ({ text }) => answer({ text, chunks: CHUNKS }),
  },
];

const WITH_REDIS = { store: 'PostgreSQL', why: 'without Redis' } as const;

const REDIS_FAULTS = (
  [
    {
      id: 'R1',
      name: 'Redis is gone',
      store: { damage: async ({ redis }) => redis?.stop(), mend: async ({ redis }) => redis?.start() },
    },
    {
      id: 'R2',
      name: 'Redis says nothing',
      store: {
        damage: ({ redis }) => redis?.signal('SIGSTOP'),
        mend: ({ redis }) => redis?.signal('SIGCONT'),
      },
    },
    {
      id: 'R3',
      name: 'Redis loses everything',
      store: { damage: async ({ redis }) => redis?.flush(), mend: () => undefined },
    },
  ] satisfies Pick<Fault, 'id' | 'name' | 'store'>[]
).map((fault): Fault => ({
  ...fault,
  course: 'harmless',
  without: [...CLIENT, WITH_REDIS],
  reply: ({ text }) => answer({ text, chunks: CHUNKS }),
}));

export const FAULTS: readonly Fault[] = [
  ...PROVIDER_FAULTS,
  ...STREAM_FAULTS,
  ...OTHER_FAULTS,
  ...REDIS_FAULTS,
];

/** Failures of the catalogue that have no cells here. */
export const ELSEWHERE: readonly { ids: string; why: string }[] = [
  {
    ids: 'U3',
    why: 'needs an address that takes no connection: `src/providers/transports/connections.test.ts`',
  },
  {
    ids: 'U7, U8, U23',
    why: 'cut and damaged events at every byte: `test/property/`, `test:long cuts`, `fuzz`',
  },
  { ids: 'U21, U22', why: 'TLS and bodies that are not read to their end: `src/providers/transports/`' },
  { ids: 'U25, C4', why: 'back-pressure needs many readers: `test:long readers`' },
  { ids: 'C3', why: 'is C1 of JSON here' },
  { ids: 'C5–C8, C11', why: 'need raw connections: `test/fault/clients.system.test.ts`' },
  { ids: 'C9, C10', why: '`src/http/endpoints/gateway/` and the admin endpoints’ idempotency tests' },
  {
    ids: 'P1–P12',
    why: 'end or restart processes: `test:long kills`, `power`, `rolling`, `upgrade`, `test/fault/machine.system.test.ts`',
  },
  {
    ids: 'D2–D6, D8, D9',
    why: 'of the database alone: `test/fault/stores.system.test.ts`, `test:long outage`, `restarts`',
  },
  { ids: 'R4–R7', why: 'of the cache alone: `src/storage/key-value/`, `src/cache/`' },
  {
    ids: 'M, K, I',
    why: 'money races, the response cache and bad input have tests of their own: `test:long last-cent`, `fuzz-bodies`, `src/cache/`',
  },
];

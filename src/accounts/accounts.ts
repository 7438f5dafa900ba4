import type { Clock } from '#base';
import type { Database, Subscription } from '#storage';
import type { Caller } from './caller.ts';
import { type KeyStatus, readKeyStatus } from './key-status.ts';
import { type Taking, identifyCaller } from './keys/identify.ts';
import { createKeyBook } from './keys/key-book.ts';
import { createDigestMemory, createKeyDigest } from './keys/key-digest.ts';
import { KeySnapshot } from './keys/key-snapshot.ts';
import { addCredits } from './ledger/add-credits.ts';
import { LivingLedger } from './ledger/living-ledger.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { WindowClock } from './ledger/window-clock.ts';
import { STORE_LIMIT_MS, withDeadline } from './ledger/store-fault.ts';
import { createRateLimitBook } from './limits/rate-limit-book.ts';
import { createMemberBook } from './members/member-book.ts';
import { createPlanBook } from './plans/plan-book.ts';
import type { Directory } from './organizations/directory.ts';
import { createOrganizationBook } from './organizations/organizations.ts';
import { createProjectBook } from './organizations/projects.ts';
import { createRuleBook } from './rules/rule-book.ts';
import { createSessionBook } from './sessions/session-book.ts';

/** Who may spend, and what was spent. */
export interface Accounts {
  /** Whose credential this is; throws `invalid_credential`, `wrong_credential` or `store_unavailable`. */
  identify(credential: string, taking?: Taking): Promise<Caller>;
  /** The figures of `GET /v1/key`, read from the ledger at this moment. */
  findKeyStatus(caller: Caller): Promise<KeyStatus>;
  directory: Directory;
  ledger: Ledger;
  /** Takes an owner's number, listens for changes and closes what dead processes left. Needed before `ledger.reserve`. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface AccountsOptions {
  database: Database;
  clock: Clock;
  /** The installation's secret; without it no stored key can be recognised. */
  secret: Uint8Array;
  /** One process owns the database: every other owner's hold is an orphan at start. */
  exclusive: boolean;
  /** How long a request may wait for money that open holds occupy. */
  admissionWaitMs?: number;
  /** Moves billing cycles and windows in tests; otherwise the database tells the time. */
  windowClock?: WindowClock;
  /** What this process notes about itself in the table of owners. */
  note?: string;
  /** Told of faults in what runs besides requests. */
  onFault?(error: unknown): void;
}

const ADMISSION_WAIT_MS = 10_000;
const CHANNEL = 'sluice_accounts';

export function createAccounts(options: AccountsOptions): Accounts {
  const { database, clock, windowClock } = options;
  const onFault = options.onFault?.bind(options) ?? (() => undefined);
  const digest = createKeyDigest(options.secret);
  const recallDigest = createDigestMemory(digest);
  const snapshot = new KeySnapshot(database, clock);
  const ledger = new LivingLedger({
    database,
    clock,
    exclusive: options.exclusive,
    admissionWaitMs: options.admissionWaitMs ?? ADMISSION_WAIT_MS,
    ...(windowClock && { windowClock }),
    onFault,
  });
  const onChange = (change: string): void => snapshot.forget(change);
  const directory: Directory = {
    ...createOrganizationBook(database),
    ...createProjectBook({ database, onChange }),
    ...createKeyBook({ database, digest, windowClock, onChange }),
    ...createPlanBook(database, windowClock),
    ...createRuleBook({ database, onChange }),
    ...createRateLimitBook({ database, onChange }),
    ...createMemberBook({ database, windowClock, onChange }),
    ...createSessionBook({ database, digest, onChange }),
    addCredits: (grant) => addCredits(database, grant),
  };
  let subscription: Subscription | undefined;

  return {
    identify: (credential, taking) => identifyCaller({ clock, snapshot, recallDigest }, credential, taking),
    findKeyStatus: (caller) => withDeadline(STORE_LIMIT_MS, readKeyStatus(database, caller, windowClock)),
    directory,
    ledger,
    start: async () => {
      subscription = await database.listen(
        CHANNEL,
        (change) => snapshot.forget(change),
        () => snapshot.clear(),
      );
      await ledger.start(options.note ?? 'sluice');
    },
    close: async () => {
      await ledger.close();
      await subscription?.close();
      subscription = undefined;
    },
  };
}

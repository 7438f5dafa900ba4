import type { Clock } from '#base';
import type { GatewayError } from '#errors';
import {
  type Database,
  type Durability,
  FIRST_RUN_LOCK,
  type Journal,
  type Queryable,
  type Subscription,
} from '#storage';
import { type Administration, createAdministration } from './administration/administration.ts';
import { createAdminKeySource, identifyAdmin } from './administration/identify-admin.ts';
import { createSeal } from './secrets/seal-answer.ts';
import type { AdminCaller } from './admin-key.ts';
import { BudgetRefusals } from './budgets/budget-refusals.ts';
import type { Caller } from './caller.ts';
import { type DashboardSignIn, createDashboardSignIn } from './dashboard/dashboard-sign-in.ts';
import { changeTogether } from './change-together.ts';
import { type KeyStatus, readKeyFigures } from './key-status.ts';
import { type AcceptedCredentials, identifyById, identifyCaller } from './keys/identify.ts';
import { createDigestMemory, createKeyDigest } from './secrets/key-digest.ts';
import { KeySnapshot, createKeySource } from './keys/key-snapshot.ts';
import { lockMeters } from './ledger/lock-meters.ts';
import { RunningLedger } from './ledger/running-ledger.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { WindowClock } from './meters/window-clock.ts';
import { STORE_LIMIT_MS, withDeadline } from './ledger/store/store-fault.ts';
import { type Directory, RESOURCES, createDirectory } from './resources.ts';
import { createSealer } from './secrets/sealer.ts';
import { type Rotation, rotateCredentials } from './byok/credential-keys.ts';
import { type Byok, type SealedCredential, findByok, openCredential } from './byok/byok.ts';

/** Callers, the account tree and the ledger. */
export interface Accounts {
  /**
   * Resolves a credential to its caller, synchronously if this process has it cached; throws `invalid_credential`,
   * `wrong_credential` or `store_unavailable`.
   */
  identify(credential: string, taking?: AcceptedCredentials): Caller | Promise<Caller>;
  /** The same by the id of a key, for requests that the gateway itself makes on its account. */
  identifyById(keyId: string): Promise<Caller>;
  /** The figures of `GET /v1/key`, read from the ledger now. */
  findKeyStatus(caller: Caller): Promise<KeyStatus>;
  /** The account tree without admin key checks: for the command line, which belongs to the operator. */
  directory: Directory;
  /** Runs the work of a first start in one transaction, serialized across processes. */
  begin<Value>(work: (directory: Directory) => Promise<Value>): Promise<Value>;
  /**
   * Changes without admin key checks, all or nothing. `work` may run again if the database requires a retry.
   * `subjectIds`: the existing keys and organizations whose money it may change.
   */
  changeTogether<Value>(
    subjectIds: readonly string[],
    work: (directory: Directory) => Promise<Value>,
  ): Promise<Value>;
  /** Decrypts a credential that an organization added; throws `credential_unreadable`. Not to be stored or logged. */
  openCredential(byok: Byok, credential: SealedCredential): string;
  /** An organization's own keys, providers and models as they are now; absent if it has none. */
  findByok(organizationId: string): Promise<Byok | undefined>;
  administration: Administration;
  /** Sessions of browsers. */
  dashboard: DashboardSignIn;
  /** Reencrypts all credentials of organizations with a new key. */
  rotateCredentials(): Promise<Rotation>;
  ledger: Ledger;
  /** Notes that a budget refused a request of a caller, or ended its answer; does nothing for other errors. */
  noteRefusal(caller: Caller, error: GatewayError): void;
  /**
   * Writes what is pending in the journal, registers as an owner, listens for changes and closes what crashed
   * processes left open. Needed before `ledger.reserve`.
   */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface AccountsOptions {
  database: Database;
  clock: Clock;
  /** An opened journal, which keeps settlements while the database is down. Commands settle nothing and have none. */
  journal?: Journal;
  /** Whether busy keys are served from leases, if there is a journal; true by default. */
  leases?: boolean;
  /** The durability that requests on leases wait for; `written` by default. */
  durability?: Durability;
  /** The installation's secret; without it no stored key can be verified. */
  secret: Uint8Array;
  /** This process is the only one on the database: every other owner's hold is an orphan at start. */
  exclusive: boolean;
  /** How long a request may wait for money that open holds reserve. */
  admissionWaitMs?: number;
  /** How long a request waits for the database: 1.4 s by default, so that it is refused within two. */
  storeLimitMs?: number;
  /** Moves billing cycles and windows in tests; otherwise the database's clock applies. */
  windowClock?: WindowClock;
  /** What this process records about itself in the table of owners. */
  note?: string;
  /** Reports faults in background work. */
  onFault?(error: unknown): void;
}

const ADMISSION_WAIT_MS = 10_000;
const CHANNEL = 'sluice_accounts';
/** The prefix of messages for the ledger; other messages name what has changed. */
const TO_LEASES = 'lease ';

type Lock = (client: Queryable) => Promise<unknown>;

const lockFirstRun: Lock = (client) =>
  client.query({ text: `SELECT pg_advisory_xact_lock(${FIRST_RUN_LOCK})` });

export function createAccounts(options: AccountsOptions): Accounts {
  const { database, clock, windowClock, storeLimitMs = STORE_LIMIT_MS } = options;
  const digest = createKeyDigest(options.secret);
  const recallDigest = createDigestMemory(digest);
  const sealer = createSealer(options.secret);
  const snapshot = new KeySnapshot(createKeySource(database, clock), { clock, storeLimitMs });
  const byId = new KeySnapshot(createKeySource(database, clock, 'id'), { clock, storeLimitMs });
  const adminSnapshot = new KeySnapshot(createAdminKeySource(database), { clock, storeLimitMs });
  const snapshots = [snapshot, byId, adminSnapshot];
  const onFault = options.onFault?.bind(options) ?? (() => undefined);
  const ledger = createLedger({ ...options, storeLimitMs, onFault });
  const refusals = new BudgetRefusals({ database, clock, onFault });
  const onChange = (change: string): void => {
    for (const one of snapshots) one.invalidate(change);
  };
  const openDirectory: OpenDirectory = (client, report) =>
    createDirectory({ database: client, digest, sealer, windowClock, onChange: report });
  const changePorts = { database, openDirectory, onChange };
  const changeUnder = <Value>(lock: Lock, work: (directory: Directory) => Promise<Value>): Promise<Value> =>
    changeTogether(changePorts, (directory, client) => lock(client).then(() => work(directory)));
  let subscription: Subscription | undefined;
  const identify = (credential: string): Promise<AdminCaller> =>
    identifyAdmin({ snapshot: adminSnapshot, recallDigest }, credential);
  const seal = createSeal(options.secret);

  return {
    identify: (credential, taking) => identifyCaller({ clock, snapshot, recallDigest }, credential, taking),
    identifyById: (keyId) => identifyById({ clock, snapshot: byId }, keyId),
    findKeyStatus: (caller) => withDeadline(findKeyStatus({ ledger, ...options }, caller), storeLimitMs),
    openCredential: (byok, credential) => openCredential(sealer, byok, credential),
    findByok: (organizationId) => findByok(database, organizationId),
    rotateCredentials: () => rotateCredentials(database, sealer),
    directory: openDirectory(database, onChange),
    begin: (work) => changeUnder(lockFirstRun, work),
    changeTogether: (subjectIds, work) => changeUnder((client) => lockMeters(client, subjectIds), work),
    administration: createAdministration({ ...changePorts, resources: RESOURCES, seal, identify }),
    dashboard: createDashboardSignIn({ database, digest, seal, onChange, identifyAdmin: identify }),
    ledger,
    noteRefusal: (caller, error) => refusals.note(caller, error),
    start: async () => {
      const onMissed = (): void => snapshots.forEach((one) => one.clear());
      subscription = await listen(database, ledger, { onChange, onMissed });
      await ledger.start(options.note ?? 'sluice');
    },
    close: async () => {
      await ledger.close();
      await subscription?.close();
      subscription = undefined;
    },
  };
}

async function findKeyStatus(
  { ledger, database, windowClock }: Pick<AccountsOptions, 'database' | 'windowClock'> & { ledger: Ledger },
  caller: Caller,
): Promise<KeyStatus> {
  const isCurrent = await ledger.catchUp(caller);
  return { ...(await readKeyFigures(database, caller, windowClock)), isCurrent };
}

/** Processes notify each other of changes and of requests for leases. `onMissed`: messages may have been lost. */
function listen(
  database: Database,
  ledger: RunningLedger,
  { onChange, onMissed }: { onChange(change: string): void; onMissed(): void },
): Promise<Subscription> {
  const receive = (message: string): void =>
    message.startsWith(TO_LEASES) ? ledger.receive(message.slice(TO_LEASES.length)) : onChange(message);
  return database.listen(CHANNEL, receive, () => {
    onMissed();
    ledger.missMessages();
  });
}

function createLedger(
  options: AccountsOptions & Required<Pick<AccountsOptions, 'storeLimitMs' | 'onFault'>>,
): RunningLedger {
  const { database, clock, journal, windowClock, exclusive, storeLimitMs } = options;
  const { admissionWaitMs = ADMISSION_WAIT_MS, durability = 'written', leases = true } = options;
  return new RunningLedger({
    database,
    clock,
    exclusive,
    admissionWaitMs,
    storeLimitMs,
    leases,
    durability,
    ...(journal && { journal }),
    ...(windowClock && { windowClock }),
    onFault: options.onFault,
  });
}

type OpenDirectory = (database: Queryable, onChange: (change: string) => void) => Directory;

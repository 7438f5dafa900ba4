import type { RandomSource, Clock, JsonObject } from '#base';
import type { Database } from '#storage';
import type { Log } from '#telemetry';
import type { Alert, AlertSettings, Condition } from './alert.ts';
import { reasonOf, startRounds } from '#base';
import { Deliverer } from '#webhooks';
import { type AlertEvent, AlertStore } from './alert-store.ts';
import { findBudgets } from './find-budgets.ts';
import { findCacheLosses } from './find-cache-losses.ts';
import { StateStore } from './state-store.ts';
import { ConditionWatch } from './watch-conditions.ts';

interface AlertsOptions {
  database: Database;
  clock: Clock;
  random: RandomSource;
  log: Log;
  /** The conditions that hold now, as this process sees them. */
  conditions(): readonly Condition[];
  /** Checks the ledger; returns the differences. */
  checkLedger(): Promise<readonly JsonObject[]>;
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined>;
  /** How often everything is looked at, in tests. */
  lookEveryMs?: number;
}

/** Alerts operators by webhooks, while there are settings. */
export interface Alerts {
  replace(settings: AlertSettings | undefined): void;
  close(): Promise<void>;
}

const DELIVER_EVERY_MS = 500;
const LOOK_EVERY_MS = 5_000;
/** How often to look whether a ledger check is due. */
const CHECK_EVERY_MS = 10_000;
/** How often sessions are looked at. */
const SESSIONS_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The most ledger differences in a message. */
const MOST_DIFFERENCES = 20;

export function createAlerts(options: AlertsOptions): Alerts {
  let running: (() => Promise<void>) | undefined;
  let current: string | undefined;
  let halted: Promise<void> = Promise.resolve();
  const halt = (): Promise<void> => {
    const stop = running;
    running = undefined;
    halted = halted.then(stop);
    return halted;
  };
  return {
    replace: (settings) => {
      const written = settings && JSON.stringify({ ...settings, sessionLoss: String(settings.sessionLoss) });
      if (written === current) return;
      current = written;
      void halt();
      if (settings) running = start(options, settings);
    },
    close: halt,
  };
}

/** Begins; returns what ends it. */
function start(options: AlertsOptions, settings: AlertSettings): () => Promise<void> {
  const { database, clock, random, log, post, lookEveryMs } = options;
  const store = new AlertStore(database);
  const states = new StateStore(database);
  const watch = new ConditionWatch({ alerts: store, states, clock });
  const deliverer = new Deliverer<AlertEvent>({
    events: store,
    clock,
    random,
    compose: (event) => composeMessage(event, settings),
    post,
    onAbandoned: ({ id, type }) => log.error({ event: id, type }, 'an alert was not delivered for a day'),
  });
  const onFault = (error: unknown): void => log.warn({ reason: reasonOf(error) }, 'alerts');
  const look = async (): Promise<number> => {
    await lookAtBudgets(settings, { database, clock, store, states });
    await watch.look(options.conditions());
    return 0;
  };
  const check = async (): Promise<number> => {
    await checkLedger(settings, { ...options, store, states });
    return 0;
  };
  const lookAtSessions = async (): Promise<number> => {
    const { sessionLoss } = settings;
    if (sessionLoss === undefined) return 0;
    const found = await findCacheLosses(database, sessionLoss, clock.now());
    await addFound('sessions', found, { store, states });
    return 0;
  };
  const rounds = [
    startRounds({ everyMs: () => DELIVER_EVERY_MS, onFault }, () => deliverer.turn()),
    startRounds({ everyMs: () => lookEveryMs ?? LOOK_EVERY_MS, onFault }, look),
    startRounds({ everyMs: () => lookEveryMs ?? CHECK_EVERY_MS, onFault }, check),
    startRounds({ everyMs: () => lookEveryMs ?? SESSIONS_EVERY_MS, onFault }, lookAtSessions),
  ];
  return async () => {
    await Promise.all(rounds.map((round) => round.stop()));
    await deliverer.settle();
  };
}

function composeMessage({ type, data, createdAt }: AlertEvent, { url, secret }: AlertSettings) {
  return { url, secret, body: JSON.stringify({ type, timestamp: new Date(createdAt).toISOString(), data }) };
}

interface Places {
  clock: Clock;
  database: Database;
  store: AlertStore;
  states: StateStore;
}

/**
 * Adds the findings of a look. The first look stores what was there before alerts were configured, without sending it.
 * Whether there was a first look is read after the search, because another process may have done it meanwhile.
 */
async function addFound(
  name: string,
  found: readonly Alert[],
  { store, states }: Pick<Places, 'store' | 'states'>,
): Promise<void> {
  const hasBegun = await states.hasBegun(name);
  await store.add(found, { isSilent: !hasBegun });
  if (!hasBegun) await states.begin(name);
}

async function lookAtBudgets(
  settings: AlertSettings,
  { database, clock, store, states }: Places,
): Promise<void> {
  const found = await findBudgets(database, settings, clock.now());
  await addFound('budgets', found, { store, states });
  await store.sweep();
}

/** One process checks, once in a while. */
async function checkLedger(
  { ledgerCheckHours }: AlertSettings,
  { checkLedger, clock, store, states }: AlertsOptions & Places,
): Promise<void> {
  if (ledgerCheckHours === 0 || !(await states.takeTurn('ledger', ledgerCheckHours))) return;
  const differences = await checkLedger();
  if (differences.length === 0) return;
  const alert: Alert = {
    subject: `ledger/${clock.now()}`,
    type: 'ledger.disagreement',
    data: { count: differences.length, differences: differences.slice(0, MOST_DIFFERENCES) },
    expiresAt: new Date(clock.now() + 30 * 24 * HOUR_MS),
  };
  await store.add([alert]);
}

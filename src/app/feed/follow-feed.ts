import type { AddressRules, Clock } from '#base';
import type { Catalogue, FeedState } from '#catalogue';
import type { DocumentReader } from '#providers';
import type { Database } from '#storage';
import type { Log } from '#telemetry';
import type { FeedSettings } from '../settings/feed-settings.ts';
import { reasonOf, runInTurns, startRounds } from '#base';
import { CatalogueError, buildInSteps, composeFiles, nameKey } from '#catalogue';
import { GatewayError } from '#errors';
import { getBaseCatalogue, getBaseFiles } from '../settings/base-catalogue.ts';
import type { FeedOutcome } from './admit-feed.ts';
import { describeChanges } from './describe-change.ts';
import { type FeedRecord, FeedStore } from './feed-store.ts';
import { type FeedAnnouncement, listAnnouncements } from './list-announcements.ts';
import { type Refusal, refreshFeed } from './refresh-feed.ts';

interface FollowerOptions {
  database: Database;
  clock: Clock;
  log: Log;
  openReader(rules: AddressRules): DocumentReader;
  /** How often the database is asked, in tests. */
  lookEveryMs?: number;
}

/** The state of the feed, for metrics, alerts and the log. */
export interface FeedReport {
  record: FeedRecord | undefined;
  /** Announced changes that do not apply yet. */
  announcements: readonly FeedAnnouncement[];
}

/** Called with the catalogue that counts from now on; it is tried again if this throws. */
type UseCatalogue = (catalogue: Catalogue) => Promise<void>;

const LOOK_EVERY_MS = 1_000;
const RETRY_MS = 10 * 60_000;
const LEAST_PAUSE_MS = 20;

/** Keeps a process at the feed that all processes of its database share. */
export class FeedFollower {
  readonly #options: FollowerOptions;
  #settings: FeedSettings | undefined;
  #store: FeedStore | undefined;
  #rounds: readonly { stop(): Promise<void> }[] = [];
  #use: UseCatalogue = async () => undefined;
  #record: FeedRecord | undefined;
  #announcements: readonly FeedAnnouncement[] = [];
  /** Which feed is in use; undefined until one is chosen for the settings. */
  #used: string | undefined;
  #nextAt = Infinity;
  readonly #stop = new AbortController();

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  get report(): FeedReport | undefined {
    return this.#settings && { record: this.#record, announcements: this.#announcements };
  }

  /** The catalogue to begin with: as of the last good feed, which needs no network. */
  async open(settings: FeedSettings | undefined): Promise<Catalogue> {
    let catalogue = await getBaseCatalogue(this.#options.clock.now());
    this.#use = async (found) => void (catalogue = found);
    this.#configure(settings);
    await this.#look();
    return catalogue;
  }

  /** Follows from now on. */
  start(use: UseCatalogue): void {
    this.#use = use;
    const onFault = (error: unknown): void => {
      if (error instanceof GatewayError && error.code === 'store_unavailable') return;
      this.#options.log.error({ reason: reasonOf(error) }, 'catalogue feed');
    };
    const begin = (work: () => Promise<void>): { stop(): Promise<void> } =>
      startRounds({ everyMs: () => this.#pauseMs(), onFault }, async () => {
        await work();
        return 0;
      });
    // Apart: prices change at their moment, and other processes store feeds, while a publisher keeps this one waiting.
    this.#rounds = [begin(() => this.#look()), begin(() => this.#fetchInTurn())];
  }

  /** Applies a changed configuration. */
  replace(settings: FeedSettings | undefined): void {
    if (JSON.stringify(settings) !== JSON.stringify(this.#settings)) this.#configure(settings);
  }

  async close(): Promise<void> {
    this.#stop.abort(); // ends a download in progress
    await Promise.all(this.#rounds.map((round) => round.stop()));
  }

  #configure(settings: FeedSettings | undefined): void {
    this.#settings = settings;
    this.#store = settings && new FeedStore(this.#options.database, nameKey(settings.publicKey));
    this.#record = undefined;
    this.#announcements = [];
    this.#nextAt = Infinity;
    this.#used = undefined;
  }

  #pauseMs(): number {
    const { clock, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    return Math.max(LEAST_PAUSE_MS, Math.min(lookEveryMs, this.#nextAt - clock.now()));
  }

  /** Applies the feed of the database, if it is not in use yet or its moment has come. */
  async #look(): Promise<void> {
    const store = this.#store;
    const record = await store?.read();
    if (store !== this.#store) return; // the configuration has changed meanwhile
    this.#record = record;
    const name = record?.sequence === undefined ? 'built-in' : `${record.sequence}/${record.storedAt ?? 0}`;
    if (name === this.#used && this.#options.clock.now() < this.#nextAt) return;
    const state = name === 'built-in' ? undefined : await store?.readState();
    if (store !== this.#store) return;
    await this.#apply(state);
    if (store === this.#store) this.#used = name;
  }

  async #apply(state: FeedState | undefined): Promise<void> {
    const { clock, log } = this.#options;
    const now = clock.now();
    this.#announcements = state ? listAnnouncements(state, now) : [];
    const { nextAt: pricedAt = Infinity } = await getBaseFiles(now);
    this.#nextAt = Math.min(...this.#announcements.map(({ from }) => from), pricedAt);
    try {
      await this.#use(state ? await this.#compose(state, now) : await getBaseCatalogue(now));
      if (state)
        log.info({ announced: this.#announcements.length }, 'the prices of the catalogue feed are in force');
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      log.error(
        { reason: error.message },
        'the catalogue feed does not fit this configuration and is not used',
      );
    }
  }

  /** A state that this version cannot read is one that does not fit. */
  async #compose(state: FeedState, now: number): Promise<Catalogue> {
    const { files: built } = await getBaseFiles(now);
    try {
      const { files, nextAt = Infinity } = composeFiles(built, state, now);
      this.#nextAt = Math.min(this.#nextAt, nextAt);
      return await runInTurns(buildInSteps(files));
    } catch (error) {
      throw new CatalogueError(reasonOf(error));
    }
  }

  async #fetchInTurn(): Promise<void> {
    const [settings, store] = [this.#settings, this.#store];
    if (settings?.url === undefined || !store || !(await store.takeTurn())) return;
    const { publicKey, noticeMs, refreshMs, url, addresses } = settings;
    const { clock, log, openReader } = this.#options;
    const reader = openReader(addresses);
    const { signal } = this.#stop;
    const close = (): void => void reader.close();
    signal.addEventListener('abort', close);
    try {
      const now = clock.now();
      const ports = { store, publicKey, noticeMs, built: (await getBaseFiles(now)).files, now, signal };
      const outcome = await refreshFeed(ports, reader, url);
      await store.recordNextTurn(outcome.result === 'refused' ? Math.min(refreshMs, RETRY_MS) : refreshMs);
      report(outcome, log);
    } catch (error) {
      if (!signal.aborted) throw error;
      await store.recordNextTurn(0); // another process fetches it, or this one after its restart
    } finally {
      signal.removeEventListener('abort', close);
      await reader.close();
    }
  }
}

function report(outcome: FeedOutcome | Refusal, log: Log): void {
  if (outcome.result === 'refused') {
    const { fault, message } = outcome.refused;
    if (outcome.isNew)
      log.error(
        { fault, reason: message },
        'the catalogue feed was refused; the last good one stays in force',
      );
    return;
  }
  const { result, sequence, changes, reason } = outcome;
  const facts = { sequence: sequence.toString(), changes: describeChanges(changes) };
  if (result === 'stored') log.info(facts, 'a new catalogue feed was stored');
  if (result === 'held')
    log.warn(
      { ...facts, reason },
      'a new catalogue feed waits for the operator: npx sluice catalogue update --accept',
    );
}

import type { AddressRules, Clock } from '#base';
import type { Catalogue, FeedState } from '#catalogue';
import type { DocumentReader } from '#providers';
import type { Database } from '#storage';
import type { Log } from '#telemetry';
import type { FeedSettings } from '../settings/feed-settings.ts';
import { reasonOf, startRounds } from '#base';
import { CatalogueError, buildCatalogue, composeFiles, nameKey } from '#catalogue';
import { GatewayError } from '#errors';
import { getBaseCatalogue, getBaseFiles } from '../settings/base-catalogue.ts';
import type { FeedOutcome } from './admit-feed.ts';
import { describeChanges } from './describe-change.ts';
import { type FeedRecord, FeedStore } from './feed-store.ts';
import { type Announcement, listAnnouncements } from './list-announcements.ts';
import { type Refusal, refreshFeed } from './refresh-feed.ts';

interface FollowerOptions {
  database: Database;
  clock: Clock;
  log: Log;
  openReader(rules: AddressRules): DocumentReader;
  /** How often the database is asked, in tests. */
  lookEveryMs?: number;
}

/** What is known of the feed, for metrics, alerts and the log. */
export interface FeedReport {
  record: FeedRecord | undefined;
  /** What is announced and does not count yet. */
  announcements: readonly Announcement[];
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
  #rounds: { stop(): Promise<void> } | undefined;
  #use: UseCatalogue = async () => undefined;
  #record: FeedRecord | undefined;
  #announcements: readonly Announcement[] = [];
  /** Which feed is in use; undefined until one is chosen for the settings. */
  #used: string | undefined;
  #nextAt = Infinity;
  /** While a feed is fetched. */
  #reader: DocumentReader | undefined;

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
    this.#rounds = startRounds({ everyMs: () => this.#pauseMs(), onFault }, async () => {
      await this.#look();
      await this.#fetchInTurn();
      return 0;
    });
  }

  /** Applies a changed configuration. */
  replace(settings: FeedSettings | undefined): void {
    if (JSON.stringify(settings) !== JSON.stringify(this.#settings)) this.#configure(settings);
  }

  async close(): Promise<void> {
    const stopped = this.#rounds?.stop();
    await this.#reader?.close(); // ends a download in progress
    await stopped;
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

  /** Uses what the database has, if it is not in use yet or its moment has come. */
  async #look(): Promise<void> {
    const store = this.#store;
    const record = await store?.read();
    this.#record = record;
    const name = record?.sequence === undefined ? 'built-in' : `${record.sequence}/${record.storedAt ?? 0}`;
    if (name === this.#used && this.#options.clock.now() < this.#nextAt) return;
    const state = name === 'built-in' ? undefined : await store?.readState();
    await this.#apply(state);
    this.#used = name;
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
      return buildCatalogue(files);
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
    this.#reader = reader;
    try {
      const now = clock.now();
      const ports = { store, publicKey, noticeMs, built: (await getBaseFiles(now)).files, now };
      const outcome = await refreshFeed(ports, reader, url);
      await store.recordNextTurn(outcome.result === 'refused' ? Math.min(refreshMs, RETRY_MS) : refreshMs);
      report(outcome, log);
    } finally {
      await reader.close();
    }
    await this.#look();
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

import type { Accounts, Caller, Limiter } from '#accounts';
import type { Clock } from '#base';
import type { ResponseCache } from '#cache';
import type { Catalogue, PremiumRule } from '#catalogue';
import type { Conversations } from '#conversations';
import type { PayloadKeeper } from '#logs';
import type { AccountObjects } from '#objects';
import type { Provider } from '#providers';
import type { Telemetry } from '#telemetry';
import type { HealthBook } from './health-book.ts';

interface Timeouts {
  /** From dispatch to the first event. */
  firstEventMs: number;
  /** Between two events. */
  idleMs: number;
  /** For the whole attempt. */
  totalMs: number;
}

/** Providers that can be called now. Throws where a stored credential cannot be opened. */
export type ProviderLookup = Pick<ReadonlyMap<string, Provider>, 'get' | 'has'>;

/** What can be reached, and how; replaced as a whole where the operator changes it. */
export interface LiveSettings {
  catalogue: Catalogue;
  /** Providers and models of the caller's organization; their names are in no other catalogue. */
  own?: Catalogue;
  providers: ProviderLookup;
  timeouts: Timeouts;
  /** Whether models without a price may be used, at cost 0. */
  allowUnpriced: boolean;
  /** From which price on a model draws on the premium allowance of a plan. */
  premium: PremiumRule;
}

/** All that the path of a generation can reach. */
export interface Ports {
  accounts: Accounts;
  cache: ResponseCache;
  clock: Clock;
  conversations: Pick<Conversations, 'find' | 'findItems' | 'recall' | 'save'>;
  health: HealthBook;
  limiter: Limiter;
  objects: Pick<AccountObjects, 'find' | 'save'>;
  payloads: Pick<PayloadKeeper, 'keep'>;
  telemetry: Telemetry;
  /** What everybody reaches; for a caller, with what its organization brought along. */
  live(caller?: Caller): LiveSettings;
}

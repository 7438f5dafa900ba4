import type { Accounts, Caller, Limiter } from '#accounts';
import type { RandomSource, Clock } from '#base';
import type { ResponseCache } from '#cache';
import type { Catalogue, PremiumRule } from '#catalogue';
import type { Conversations } from '#conversations';
import type { LastPrompts, PayloadQueue } from '#logs';
import type { AccountObjects } from '#objects';
import type { Provider } from '#providers';
import type { Telemetry } from '#telemetry';
import type { HealthRegistry, RoutingRules } from '#routing';
import type { SentPrefixes } from '../misses/sent-prefixes.ts';
import type { SessionPrompts } from '../misses/session-prompts.ts';
import type { Allowance, Capacity } from './memory/capacity.ts';
import type { MirroredRequests } from './memory/mirrored-requests.ts';
import type { PromptMeasures } from './memory/prompt-measures.ts';
import type { TokenRates } from './memory/token-rates.ts';
import type { UnattendedAnswers } from './memory/unattended.ts';

export interface Timeouts {
  /** From dispatch to the first event. */
  firstEventMs: number;
  /** Between two events. */
  idleMs: number;
  /** For the whole attempt. */
  totalMs: number;
  /** For the rest of an answer whose caller has disconnected. */
  afterLeavingMs: number;
}

/** Providers that can be called now. Throws if a stored credential cannot be decrypted. */
export type ProviderLookup = Pick<ReadonlyMap<string, Provider>, 'get' | 'has'>;

/** One of the gateway's credentials for a provider. */
export interface Credential {
  name: string;
  /** Its share of the requests; 0: only if no other can be used. */
  weight: number;
  provider: Provider;
  /** The limits of the credential; absent if it has none. */
  allowance?: Allowance;
  /** Where it is called, if it has an address of its own: the provider may fail at one and not at another. */
  address?: string;
}

/** The callable providers and their settings; replaced as a whole when the operator changes them. */
export interface LiveSettings {
  catalogue: Catalogue;
  /** Custom providers and models of the caller's organization; their names are in no other catalogue. */
  own?: Catalogue;
  providers: ProviderLookup;
  /** The gateway's credentials by provider, for those that have several or limits; the first is that of `providers`. */
  pools?: ReadonlyMap<string, readonly Credential[]>;
  timeouts: Timeouts;
  /** The timeouts of providers that have others. */
  providerTimeouts?: ReadonlyMap<string, Timeouts>;
  routing: RoutingRules;
  /** Whether models without a price may be used, at cost 0. */
  allowUnpriced: boolean;
  /** The price from which a model draws on the premium allowance of a plan. */
  premium: PremiumRule;
}

/** Everything the path of a generation depends on. */
export interface Ports {
  accounts: Accounts;
  cache: ResponseCache;
  capacity: Capacity;
  random: RandomSource;
  clock: Clock;
  copies: MirroredRequests;
  conversations: Pick<Conversations, 'find' | 'findItems' | 'recall' | 'save'>;
  health: HealthRegistry;
  lastPrompts: LastPrompts;
  limiter: Limiter;
  objects: Pick<AccountObjects, 'find' | 'save'>;
  payloads: Pick<PayloadQueue, 'keep'>;
  prompts: PromptMeasures;
  rates: TokenRates;
  sentPrefixes: SentPrefixes;
  sessionPrompts: SessionPrompts;
  telemetry: Telemetry;
  unattended: UnattendedAnswers;
  /** The shared settings; for a caller, with its organization's own keys, providers and models. */
  live(caller?: Caller): LiveSettings;
}

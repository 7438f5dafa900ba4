import type { AddressRules } from '#base';

/** Where the catalogue feed comes from. */
export interface FeedSettings {
  /** Absent: feeds are brought by `catalogue update FILE` only. */
  url?: string;
  /** The key that feeds must be signed with. */
  publicKey: string;
  refreshMs: number;
  /** How long changes are announced before they count. */
  noticeMs: number;
  /** Which hosts may be private: those of `customProviders.trustedHosts`. */
  addresses: AddressRules;
}

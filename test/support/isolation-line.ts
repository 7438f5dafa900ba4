import type { IsolationCall, IsolationWorld, Reach } from './isolation.ts';
import type { OwnedNames } from './isolation-owner.ts';

/** What a call names, who owns it, and what other callers get. */
export interface IsolationLine {
  /** Added to the route's name if it has several lines. */
  about?: string;
  /** The owner of the named record. */
  of: Reach;
  /** Another owner. */
  alsoOf?: Reach;
  /** The status for its owners; 200 by default. */
  own?: number;
  /** The status for all others that the policy accepts; 404 by default. Their response contains nothing of the owner. */
  foreign?: number;
  /** Whether the response contains more of the owner than the call named; true for every GET by default. */
  reports?: boolean;
  /** What every key of the owner's project and every session token may see of it. */
  known?: keyof OwnedNames;
  /** A text of the owner that others use for their own records. */
  common?: string;
  /** The policy that the endpoint enforces itself, if its declared one is weaker. */
  auth?: 'caller';
  call(names: OwnedNames): IsolationCall;
  /** For calls that consume their record: creates a new one for each caller that may use it. */
  renew?(world: IsolationWorld): Promise<Readonly<Record<string, string>>>;
}

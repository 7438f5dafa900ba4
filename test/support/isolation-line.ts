import type { IsolationCall, IsolationWorld, Reach } from './isolation.ts';
import type { OwnedNames } from './isolation-owner.ts';

/** What a call names, whose that is, and what becomes of those who may not have it. */
export interface IsolationLine {
  /** Added to the route's name if it has several lines. */
  about?: string;
  /** Whose the named thing is. */
  of: Reach;
  /** Whose it is besides. */
  alsoOf?: Reach;
  /** What they get whose it is; 200 unless told. */
  own?: number;
  /** What all others get whom the policy lets through; 404 unless told. Never anything of the owner. */
  foreign?: number;
  /** Whether the answer holds more of the owner than the call named; so does every GET unless told. */
  reports?: boolean;
  /** What every key of the owner's project and every session token may learn of it. */
  known?: keyof OwnedNames;
  /** A word of the owner's that others use for things of their own. */
  common?: string;
  /** The policy that the endpoint enforces itself, where the one it declares is weaker. */
  auth?: 'caller';
  call(names: OwnedNames): IsolationCall;
  /** The call uses its thing up: what it is made of anew for each who may have it. */
  renew?(world: IsolationWorld): Promise<Readonly<Record<string, string>>>;
}

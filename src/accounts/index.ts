export { type Accounts, type AccountsOptions, createAccounts } from './accounts.ts';
export { type Caller } from './caller.ts';
export { type KeyStatus } from './key-status.ts';
export { readCredential } from './keys/read-credential.ts';
export { type Grant } from './ledger/add-credits.ts';
export {
  type Hold,
  type HoldRequest,
  type Ledger,
  type LedgerDifference,
  type OutcomeRow,
  type Progress,
  type Settlement,
} from './ledger/ledger.ts';
export {
  type Directory,
  type KeyRecord,
  type NewKey,
  type Organization,
  type Project,
} from './organizations/directory.ts';

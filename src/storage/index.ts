export { type AppliedMigration, isBefore02, toCurrentSteps } from './database/current-steps.ts';
export { EXPORT_LOCK, FIRST_RUN_LOCK, MOVE_LOCK, UPKEEP_LOCK, tryLock } from './database/advisory-locks.ts';
export { findBlockers } from './database/blockers.ts';
export { type CopySession, openCopySession } from './database/copy-session.ts';
export {
  CONNECT_TIMEOUT_MS,
  type ConnectionOptions,
  type SocketConnection,
} from './database/connection-options.ts';
export type { Database, Queryable, Session, Statement, Subscription } from './database/database.ts';
export {
  type RecordOf,
  type RecordType,
  amount,
  column,
  defineRecord,
  epochMs,
  ifSet,
  moment,
  orNull,
} from './database/record.ts';
export { findInstanceValue, keepInstanceValue, replaceInstanceValue } from './database/instance-values.ts';
export { startSweep } from './database/sweep.ts';
export { refusePooler } from './database/refuse-pooler.ts';
export { openDatabase } from './database/open-database.ts';
export { UNFINISHED_MOVE, migrate } from './database/migrate.ts';
export { LOG_COLUMNS, type LogColumn, type LogColumnKind } from './log-columns.ts';
export { type Migration, readMigrations } from './database/read-migrations.ts';
export type { KeyValue } from './key-value/key-value.ts';
export { openKeyValue } from './key-value/open-key-value.ts';
export { connectEmbedded } from './embedded/connect-embedded.ts';
export { openDataDirectory } from './embedded/directory.ts';
export { syncFolder } from './embedded/files.ts';
export { acquireDirectoryLock, isDirectoryTaken } from './embedded/directory-lock.ts';
export { isAlive } from './embedded/postmaster.ts';
export {
  type EmbeddedServer,
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from './embedded/embedded-server.ts';
export { type JournalContents, inspectJournal } from './journal/inspect-journal.ts';
export { type JournalFile, type JournalFiles, openJournalFiles } from './journal/journal-files.ts';
export { type Durability, Journal, type Leftover, type Receipt } from './journal/journal.ts';

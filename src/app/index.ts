export {
  type Amounts,
  type Difference,
  type Measure,
  type Reconciliation,
  encodeReconciliation,
  formatChange,
  formatEstimates,
  listMeasures,
  subtractAmounts,
  sumDifferences,
} from '#advice';
export {
  ADMIN_SCOPES,
  MOST_LIMIT,
  PERIODS,
  type AnyResource,
  type FileValues,
  type CommandTarget,
  type Operation,
  RESOURCES,
  type ResourceCommand,
  type ResourcePorts,
  type RecurringLimit,
  STRATEGIES,
  type LedgerCheck,
  encodeLedgerCheck,
  perform,
} from '#accounts';
export { AlertStore } from '#alerts';
export { CursorStore } from '#exports';
export { type ModelEntry } from '#catalogue';
export {
  type LogFilter,
  type LogRow,
  type StoredPayload,
  payloadType,
  encodeBill,
  encodeLog,
  anyPeriod,
  followRow,
  formatRows,
  requestFilters,
  toTenants,
} from '#logs';
export { ApplyFailed, type DoneChange, applyChanges } from './apply/apply-changes.ts';
export { type Change, type Subject } from './apply/change.ts';
export { exportManifest, formatManifest } from './apply/export-manifest.ts';
export { type ChangePlan, planChanges } from './apply/plan-changes.ts';
export { readExistingEntries } from './apply/read-existing-entries.ts';
export { readManifest } from './apply/read-manifest.ts';
export { type MoveReport, moveDatabase } from './move/move-database.ts';
export { writeBundle } from './support/write-bundle.ts';
export { takeBackup } from './backup/take-backup.ts';
export { restoreBackup } from './backup/restore-backup.ts';
export { composeAnnouncement, composeShortAnnouncement } from './doctor/announcement.ts';
export { claudeCode, composeClaudeEnvironment } from './clients/claude-code.ts';
export { type Client } from './clients/client-setup.ts';
export { codex } from './clients/codex.ts';
export { geminiCli } from './clients/gemini-cli.ts';
export { opencode } from './clients/opencode.ts';
export { createDashboardLink, findGateway } from './doctor/dashboard-link.ts';
export { createCommandLog } from './commands/command-log.ts';
export {
  type ClientAccess,
  hasVariable,
  isInstalled,
  prepareClient,
  runProgram,
} from './commands/connect-client.ts';
export { writeClientFile } from './commands/client-file.ts';
export { diagnose } from './doctor/diagnose.ts';
export { type Finding } from './doctor/finding.ts';
export {
  type SettingsExplanation,
  explainSettings,
  summarizeProviders,
} from './settings/explain-settings.ts';
export {
  type ExpiredRequest,
  type RequestExplanation,
  explainRequest,
  findExpired,
} from './commands/explain-request.ts';
export type { LaunchedGateway } from './lifecycle/launch.ts';
export { describeWaiting, readJournal } from './doctor/journal.ts';
export type { RouteCandidate, RouteExplanation, RouteQuestion } from './commands/explain-route.ts';
export { findBinding } from '#accounts';
export { CLIENT_FORMATS, type ClientFormatId } from '#canonical';
export { type PriceDifference, comparePrices } from './feed/compare-prices.ts';
export { describeChange } from './feed/describe-change.ts';
export { createKeyFile, publishFeed } from './feed/publish-feed.ts';
export type { FeedComparison, FeedDifference } from './feed/operate-feed.ts';
export { type ModelName, findModelName } from './commands/find-model-name.ts';
export { watchLauncher } from './commands/launcher.ts';
export { listConfiguredModels } from './commands/list-models.ts';
export { loadSettings } from './settings/load-settings.ts';
export { version } from './settings/package.ts';
export {
  cancelVideo,
  compareFeed,
  explainRoute,
  findModelFault,
  isAnswering,
  launch,
  listTestableProviders,
  listVideos,
  planReplay,
  readRequestedRoute,
  reconcileProvider,
  removeVideoWebhook,
  runReplay,
  setVideoWebhook,
  testOwnProvider,
  testProviders,
  updateFeed,
} from './commands/on-demand.ts';
export { encodeReplay, encodeReplayPlan } from './replay/encode-replay.ts';
export type {
  ComparedRequest,
  ReplayPlan,
  ReplayProgress,
  ReplayReport,
  UnsentRequest,
} from './replay/report.ts';
export type { ReplayQuestion } from './replay/replay.ts';
export { NOT_KEPT, type ReplaySummary, countReasons, summarizeReplay } from './replay/summarize-replay.ts';
export type { ProviderTest } from '#http';
export { type AnyReport, REPORTS } from '#reports';
export { composeReports } from './commands/compose-reports.ts';
export { readSecretInput } from './commands/secret-input.ts';
export { type Settings, type SettingsOrigin } from './settings/settings.ts';
export { SettingsError } from './settings/settings-problem.ts';
export { type StoreSettings, loadStoreSettings, readDatabaseUrl } from './settings/store-settings.ts';
export { type Stores, openStores } from './lifecycle/stores/stores.ts';
export { composeInstallation } from './lifecycle/compose-installation.ts';
export { loadByokTerms } from './commands/byok-terms.ts';
export type { ReconcileRequest } from './reconcile/reconcile-provider.ts';
export type { VideoSummary } from './commands/video-commands.ts';

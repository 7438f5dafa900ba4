export {
  type KeyRecord,
  type Layer,
  MOST_LIMIT,
  PERIODS,
  PLAN_TIERS,
  type PlanStatus,
  RULE_TYPES,
  type RateLimitChange,
  type RateLimits,
  type RecurringLimit,
  type RuleRecord,
} from '#accounts';
export { type ModelEntry } from '#catalogue';
export { type LogFilter, type LogRow } from '#logs';
export { type AnnouncementFacts, composeAnnouncement, composeShortAnnouncement } from './announcement.ts';
export { claudeCode, composeClaudeEnvironment } from './clients/claude-code.ts';
export { type Client } from './clients/client-setup.ts';
export { codex } from './clients/codex.ts';
export { findUnmatchedNames } from './find-unmatched-names.ts';
export { geminiCli } from './clients/gemini-cli.ts';
export { opencode } from './clients/opencode.ts';
export { createCommandLog } from './command-log.ts';
export {
  type ClientAccess,
  hasVariable,
  keepClientFile,
  prepareClient,
  runProgram,
} from './connect-client.ts';
export { diagnose } from './diagnose.ts';
export { type Finding } from './finding.ts';
export {
  type ProviderSummary,
  type SettingsExplanation,
  explainSettings,
  summarizeProviders,
} from './explain-settings.ts';
export { type RequestExplanation, explainRequest } from './explain-request.ts';
export { type RunningGateway } from './gateway.ts';
export { type Launched, launch } from './launch.ts';
export { type ModelFilter, listConfiguredModels } from './list-models.ts';
export { loadSettings } from './load-settings.ts';
export { version } from './package.ts';
export { type ProviderTest, listTestableProviders, testProvider } from './provider-test.ts';
export { type Settings, type SettingsFlags, type SettingsOrigin } from './settings.ts';
export { SettingsError } from './settings-problem.ts';
export { loadStoreSettings } from './store-settings.ts';
export { type Stores, openStores } from './stores.ts';
export {
  type VideoSummary,
  cancelVideo,
  listVideos,
  removeVideoWebhook,
  setVideoWebhook,
} from './video-commands.ts';

import type { Catalogue, Mapping } from '#catalogue';
import type { PicoUsd } from '#base';
import type { Stores } from '../lifecycle/stores/stores.ts';
import type { SettingsOrigin } from '../settings/settings.ts';
import type { ReplayPlan, ReplayProgress, ReplayReport } from './report.ts';
import { createRandomText, systemClock } from '#base';
import { createUnresolved, resolveModel } from '#catalogue';
import { createGatewayClient } from '#providers';
import { findGateway } from '../doctor/dashboard-link.ts';
import { readEffectiveCatalogue } from '../feed/effective-catalogue.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { estimateCost } from './estimate-cost.ts';
import { createPermittedProviders } from './permitted-providers.ts';
import { createReplayKey, findReplayOrganization } from './replay-account.ts';
import { ReplayRun } from './run-replay.ts';
import { type ReplaySelection, type RequestSelection, selectRequests } from './select-requests.ts';

/** Kept requests to send to another model. */
export interface ReplayQuestion extends ReplaySelection {
  /** A model, or `provider/model`. */
  model: string;
  budget: PicoUsd;
}

interface ReplayOptions {
  concurrency: number;
  /** The gateway's address; the running one's by default. */
  url?: string;
  /** Whether the report has diffs. */
  hasDiffs: boolean;
  /** Ends it early. */
  signal: AbortSignal;
  onProgress(progress: ReplayProgress): void;
}

type ReplayStores = Pick<Stores, 'accounts' | 'database' | 'logs' | 'payloads'>;

const ID_LENGTH = 12;

/** What a replay would send and skip, and what it may cost. Sends nothing. */
export async function planReplay(
  stores: ReplayStores,
  origin: SettingsOrigin,
  question: ReplayQuestion,
): Promise<ReplayPlan> {
  const { catalogue, ...selected } = await select(stores, origin, question);
  const rows = selected.candidates.map(({ row }) => row);
  const ports = { catalogue, now: systemClock.now() };
  const estimate = rows.length === 0 ? undefined : await estimateCost(ports, question.model, rows);
  return {
    ...factsOf(question, selected),
    planned: rows.map(({ requestId, modelId = '', provider }) => ({
      requestId,
      modelId,
      cost: BigInt(provider),
    })),
    ...(estimate && { estimate }),
  };
}

/** Sends kept requests to another model through the running gateway, within a budget, and compares the answers. */
export async function runReplay(
  { stores, origin }: { stores: ReplayStores; origin: SettingsOrigin },
  question: ReplayQuestion,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const url = options.url ?? (await getRunningUrl(origin));
  const selected = await select(stores, origin, question);
  const id = `rpl_${createRandomText(ID_LENGTH)}`;
  const facts = { id, ...factsOf(question, selected) };
  if (selected.candidates.length === 0) return { ...facts, compared: [], failed: [], unsent: [], spent: 0n };
  const { accounts } = stores;
  const terms = { label: `replay ${id}`, budget: question.budget, clock: systemClock };
  const key = await createReplayKey(accounts, terms);
  const client = createGatewayClient(url);
  try {
    const run = new ReplayRun(
      { ...stores, ...options, client },
      { ...options, replayId: id, model: question.model, apiKey: key.secret },
      selected.candidates,
    );
    await run.run();
    const { compared, failed, unsent, spent, end } = run;
    const skipped = [...selected.skipped, ...run.skipped];
    return { ...facts, keyId: key.id, compared, failed, skipped, unsent, spent, ...(end && { end }) };
  } finally {
    await accounts.directory.deleteKey(key.id);
    await client.close();
  }
}

async function getRunningUrl(origin: SettingsOrigin): Promise<string> {
  const { url, isRunning } = await findGateway(origin);
  if (isRunning) return url;
  throw new Error('no gateway runs on this machine; start one with npx sluice start, or name one with --url');
}

async function select(
  stores: ReplayStores,
  origin: SettingsOrigin,
  question: ReplayQuestion,
): Promise<RequestSelection & { catalogue: Catalogue }> {
  const catalogue = await readEffectiveCatalogue(await loadSettings(origin, 'show'), stores.database);
  const permitted = createPermittedProviders(
    stores.database,
    catalogue,
    getMappings(catalogue, question.model),
  );
  const replayOrganizationId = await findReplayOrganization(stores.accounts.directory);
  const selected = await selectRequests({ stores, permitted, replayOrganizationId }, question);
  if (selected.candidates.length + selected.skipped.length === 0)
    await stores.accounts.directory.requireKnown(question.filter);
  return { catalogue, ...selected };
}

function getMappings(catalogue: Catalogue, name: string): readonly Mapping[] {
  const found = resolveModel(catalogue, name, systemClock.now());
  if (found.kind !== 'found') throw createUnresolved(name, found);
  return found.mappings;
}

function factsOf(
  { model, budget }: ReplayQuestion,
  { skipped, isPartial }: RequestSelection,
): Pick<ReplayPlan, 'model' | 'budget' | 'skipped' | 'isPartial'> {
  return { model, budget, skipped, isPartial };
}

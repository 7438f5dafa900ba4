import type { RequestBinding } from '#accounts';
import type { Catalogue, Mapping } from '#catalogue';
import type { Preferences } from '#pipeline';
import type { Experiment, Session, ExperimentVariant } from '#routing';
import { toAccount } from './explain-credentials.ts';
import type { Stores } from '../lifecycle/stores/stores.ts';
import { decideAccess, describeRefusal } from '#accounts';
import { resolveModel } from '#catalogue';
import { assignVariant, findSelection } from '#routing';

/** An experiment that requests take part in. */
export interface ExplainedExperiment {
  name: string;
  by: Experiment['by'];
  variants: readonly ExperimentVariant[];
  /** The variant of the key, `control` for the others; null where it is another for each request or conversation. */
  variant: string | null;
}

/** Why the rules of a key or project exclude a mapping; null if they do not. */
export function findRuleRefusal(
  { rules }: Pick<RequestBinding, 'rules'>,
  mapping: Mapping,
  catalogue: Catalogue,
): string | null {
  if (!rules) return null;
  const decision = decideAccess(rules, { mappings: [mapping], catalogue, clientAddress: undefined });
  return 'refusal' in decision ? describeRefusal(decision.refusal, mapping.externalId) : null;
}

interface Participant {
  /** The requested model. */
  name: string;
  binding: RequestBinding | undefined;
  preferences: Preferences | undefined;
}

/** The experiment in which such requests take part. */
export function findExperiment(
  experiments: readonly Experiment[],
  catalogue: Catalogue,
  { name, binding, preferences }: Participant,
): Experiment | undefined {
  const found = resolveModel(catalogue, name, Date.now());
  if (found.kind !== 'found' || found.isPinned || preferences?.isAsked === true) return undefined;
  const { projectId } = binding ?? {};
  return findSelection(experiments, { catalogue, modelId: found.model.id, projectId });
}

/** Its variant, if a key has the same for all its requests; undefined for the control group and where it has not. */
export function findVariant(
  experiment: Experiment | undefined,
  binding: RequestBinding | undefined,
): ExperimentVariant | undefined {
  if (experiment?.by !== 'key' || binding?.keyId === undefined) return undefined;
  return assignVariant(experiment, `${binding.organizationId} ${binding.keyId}`);
}

export function describeExperiment(
  experiment: Experiment,
  binding: RequestBinding | undefined,
): ExplainedExperiment {
  const { name, by, variants } = experiment;
  const isKnown = by === 'key' && binding?.keyId !== undefined;
  return {
    name,
    by,
    variants,
    variant: isKnown ? (findVariant(experiment, binding)?.name ?? 'control') : null,
  };
}

interface SessionOfKey {
  keyId: string;
  sessionId: string;
  modelId: string;
}

interface HomeRow {
  provider_id: string;
  external_id: string;
  credential: string | null;
  prompt: number;
  cached: number;
  output: number;
}

/** As long as a gateway counts on a cache: a little less than providers keep prompts, for 5 minutes or an hour. */
const FIND_HOME = `
  SELECT provider_id, external_id, (output_text + output_reasoning)::float8 AS output,
    (input_cache_read + input_cache_write_5m + input_cache_write_1h)::float8 AS cached,
    (input_uncached + input_cache_read + input_cache_write_5m + input_cache_write_1h)::float8 AS prompt,
    (SELECT attempt ->> 'credential' FROM jsonb_array_elements(attempts) AS attempt
     WHERE attempt ->> 'outcome' = 'answered' LIMIT 1) AS credential
  FROM request_log
  WHERE key_id = $1 AND session_id = $2 AND model_id = $3 AND finish_reason IN ('completed', 'length', 'tool_calls')
    AND closed_at > now() - CASE WHEN input_cache_write_1h > 0 THEN interval '55 minutes' ELSE interval '270 seconds' END
    AND started_at > now() - interval '2 hours'
  ORDER BY started_at DESC LIMIT 1`;

/** Where the last prompt of a session is cached, as the log has it: gateways keep it in memory. */
export async function findHome(
  database: Stores['database'],
  { keyId, sessionId, modelId }: SessionOfKey,
): Promise<Session | undefined> {
  const { rows } = await database.query<HomeRow>({ text: FIND_HOME, values: [keyId, sessionId, modelId] });
  const [row] = rows;
  if (!row || row.cached === 0) return undefined;
  return {
    home: { providerId: row.provider_id, externalId: row.external_id, account: toAccount(row.credential) },
    promptTokens: row.prompt,
    cachedTokens: row.cached,
    outputTokens: row.output,
  };
}

import type { Catalogue } from '#catalogue';
import type { Settings } from './settings.ts';
import { canServe, suggestModel } from './suggest-model.ts';

/** What Claude Code is to be pointed at. */
export interface ClaudeTarget {
  url: string;
  apiKey: string;
  /** Replaces the Claude models it would ask for. */
  model?: string;
}

/** The environment that points Claude Code at this gateway. */
export function composeClaudeEnvironment({ url, apiKey, model }: ClaudeTarget): Record<string, string> {
  const environment = { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: apiKey };
  if (model === undefined) return environment;
  return {
    ...environment,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
  };
}

/** The model Claude Code must be told to use: none where the gateway serves the Claude models it asks for by itself. */
export function findClaudeModel(catalogue: Catalogue, settings: Settings, now: number): string | undefined {
  return canServe(catalogue, settings, /^claude-/) ? undefined : suggestModel(catalogue, settings, now);
}

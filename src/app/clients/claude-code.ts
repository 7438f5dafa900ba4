import type { Catalogue } from '#catalogue';
import type { Settings } from '../settings/settings.ts';
import type { Client, ClientTarget } from './client-setup.ts';
import { canServe, suggestModel } from '../settings/suggest-model.ts';

/** Anthropic's Claude Code. */
export const claudeCode: Client = {
  name: 'claude',
  title: 'Claude Code',
  install: 'npm install -g @anthropic-ai/claude-code',
  compose: (target) => ({
    variables: composeClaudeEnvironment(target),
    // Sent alongside the gateway's key, it would make two different credentials, which the gateway refuses.
    unset: ['ANTHROPIC_API_KEY'],
    args: [],
  }),
};

/** The environment that points Claude Code at this gateway. */
export function composeClaudeEnvironment({ url, apiKey, model }: ClientTarget): Record<string, string> {
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

/**
 * The model Claude Code must be configured with; none if the gateway serves the Claude models it requests by default.
 */
export function findClaudeModel(catalogue: Catalogue, settings: Settings, now: number): string | undefined {
  return canServe(catalogue, settings, /^claude-/) ? undefined : suggestModel(catalogue, settings, now);
}

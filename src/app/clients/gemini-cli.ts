import type { Client } from './client-setup.ts';

/** Gemini CLI 0.61 otherwise treats a base URL as an auth type and exits in headless mode. */
const SETTINGS = { security: { auth: { selectedType: 'gemini-api-key' } } };

/** Google's Gemini CLI. */
export const geminiCli: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  install: 'npm install -g @google/gemini-cli',
  compose: ({ url, apiKey, model }) => ({
    variables: {
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: apiKey,
      ...(model !== undefined && { GEMINI_MODEL: model }),
    },
    unset: ['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
    args: [],
    file: {
      path: '~/.gemini/settings.json',
      text: JSON.stringify(SETTINGS, null, 2),
      variable: 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
    },
  }),
};

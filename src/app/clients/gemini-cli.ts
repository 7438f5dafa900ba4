import type { Client } from './client-setup.ts';

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
  }),
};

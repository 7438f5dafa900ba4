import type { Client, ClientTarget } from './client-setup.ts';

const KEY_VARIABLE = 'SLUICE_API_KEY';

/** opencode reads a whole configuration from a variable and merges it over the user's own. */
export const opencode: Client = {
  name: 'opencode',
  title: 'opencode',
  install: 'npm install -g opencode-ai',
  compose(target) {
    const config = composeConfig(target);
    return {
      variables: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), [KEY_VARIABLE]: target.apiKey },
      unset: [],
      args: [],
      file: { path: 'opencode.json', text: JSON.stringify(config, null, 2) },
    };
  },
};

function composeConfig({ url, model }: ClientTarget): object {
  return {
    $schema: 'https://opencode.ai/config.json',
    provider: {
      sluice: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Sluice',
        options: { baseURL: `${url}/v1`, apiKey: `{env:${KEY_VARIABLE}}` },
        ...(model !== undefined && { models: { [model]: { name: model } } }),
      },
    },
    ...(model !== undefined && { model: `sluice/${model}`, small_model: `sluice/${model}` }),
  };
}

import type { Client, ClientTarget } from './client-setup.ts';

const KEY_VARIABLE = 'SLUICE_API_KEY';

/** OpenAI's Codex CLI; it only supports Responses. */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  install: 'npm install -g @openai/codex',
  compose(target) {
    const entries = listEntries(target);
    return {
      variables: { [KEY_VARIABLE]: target.apiKey },
      unset: [],
      args: entries.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      file: {
        path: '~/.codex/config.toml',
        text: entries.map(([name, value]) => `${name} = ${value}`).join('\n'),
      },
    };
  },
};

/** Dotted keys work in TOML and as command-line overrides. */
function listEntries({ url, model }: ClientTarget): [string, string][] {
  const provider = 'model_providers.sluice';
  return [
    ...(model === undefined ? [] : [['model', quote(model)] satisfies [string, string]]),
    ['model_provider', quote('sluice')],
    [`${provider}.name`, quote('Sluice')],
    [`${provider}.base_url`, quote(`${url}/v1`)],
    [`${provider}.env_key`, quote(KEY_VARIABLE)],
    [`${provider}.wire_api`, quote('responses')],
  ];
}

/** A JSON string is a TOML basic string. */
function quote(text: string): string {
  return JSON.stringify(text);
}

import { type Field, choices, fieldsOf } from './field.ts';

const SECRET = {
  label: 'Key',
  kind: 'secret',
  help: 'It is stored encrypted and never shown again',
} as const satisfies Omit<Field, 'name'>;

export const providerKeyFields = (providers: readonly string[]) =>
  fieldsOf<'/admin/v1/provider_keys'>()(
    {
      name: 'provider',
      label: 'Provider',
      kind: 'text',
      suggestions: providers,
      help: 'Its id, such as openai',
      effect: (value) =>
        value === ''
          ? undefined
          : `Requests of the organization to ${value} use this key from now on, in place of an earlier one. ${value} bills the organization directly; the gateway charges nothing.`,
    },
    { name: 'api_key', ...SECRET },
  );

export const NEW_PROVIDER_FIELDS = fieldsOf<'/admin/v1/custom_providers'>()(
  {
    name: 'name',
    label: 'Name',
    kind: 'text',
    help: 'Such as acme; its models are called as acme/model',
    effect: (value) =>
      value === '' ? undefined : `Keys of this organization, and no others, can call models as ${value}/….`,
  },
  {
    name: 'format',
    label: 'Format',
    kind: 'choice',
    initial: 'chat',
    options: choices('chat', 'messages', 'gemini'),
  },
  {
    name: 'base_url',
    label: 'Address',
    kind: 'text',
    help: 'Such as https://llm.example.com/v1; it must be public',
  },
  { name: 'api_key', ...SECRET },
);

export const PROVIDER_FIELDS = fieldsOf<'/admin/v1/custom_providers/{id}'>()(
  {
    name: 'base_url',
    label: 'Address',
    kind: 'text',
    help: 'A new address needs the key again',
    effect: (value) => `Requests are sent to ${value}, with the key that you enter here.`,
  },
  { name: 'api_key', ...SECRET, none: 'as it is', effect: () => 'Requests use the new key at once.' },
);

const price = (name: string, label: string) =>
  ({ name: `price.${name}`, label: `${label}, USD per million tokens`, kind: 'usd', none: 'none' }) as const;
const tokens = { kind: 'count', noun: 'token', least: 1 } as const;
const UNKNOWN = 'not known';

export const NEW_MODEL_FIELDS = fieldsOf<'/admin/v1/custom_models'>()(
  { name: 'name', label: 'Name', kind: 'text', help: 'Without that of its provider' },
  { name: 'external_id', label: 'Name at the provider', kind: 'text', none: 'the same' },
  { name: 'context_length', label: 'Context window', ...tokens },
  { name: 'max_output', label: 'Max output tokens', ...tokens },
  { ...price('input', 'Input'), name: 'price.input' },
  { ...price('output', 'Output'), name: 'price.output' },
  { ...price('cache_read', 'Cache reads'), name: 'price.cache_read' },
  { ...price('cache_write_5m', 'Cache writes, 5 minutes'), name: 'price.cache_write_5m' },
  { ...price('cache_write_1h', 'Cache writes, 1 hour'), name: 'price.cache_write_1h' },
  { ...price('reasoning', 'Reasoning'), name: 'price.reasoning' },
  { ...price('input_audio', 'Audio input'), name: 'price.input_audio' },
  { ...price('output_audio', 'Audio output'), name: 'price.output_audio' },
  { ...price('input_image', 'Image input'), name: 'price.input_image' },
  { ...price('output_image', 'Image output'), name: 'price.output_image' },
  { name: 'reasoning', label: 'Reasons', kind: 'flag', none: UNKNOWN },
  { name: 'vision', label: 'Accepts images', kind: 'flag', none: UNKNOWN },
  { name: 'tools', label: 'Accepts tools', kind: 'flag', none: UNKNOWN },
);

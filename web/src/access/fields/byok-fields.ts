import { type ListedField, fieldsOf } from './field.ts';

const SECRET = {
  label: 'Key',
  kind: 'secret',
  help: 'It is stored encrypted and never shown again',
} as const satisfies Omit<ListedField, 'name'>;

export const providerKeyFields = (providers: readonly string[]) =>
  fieldsOf(
    '/admin/v1/provider_keys',
    {
      name: 'provider',
      label: 'Provider',
      suggestions: providers,
      help: 'Its id, such as openai',
      effect: (value) =>
        value === ''
          ? undefined
          : `Requests of the organization to ${value} use this key from now on, in place of an earlier one. ${value} bills the organization directly; the gateway charges nothing.`,
    },
    { name: 'api_key', ...SECRET },
  );

export const NEW_PROVIDER_FIELDS = fieldsOf(
  '/admin/v1/custom_providers',
  {
    name: 'name',
    label: 'Name',
    help: 'Such as acme; its models are called as acme/model',
    effect: (value) =>
      value === '' ? undefined : `Keys of this organization, and no others, can call models as ${value}/….`,
  },
  {
    name: 'format',
    label: 'Format',
    initial: 'chat',
  },
  {
    name: 'base_url',
    label: 'Address',
    help: 'Such as https://llm.example.com/v1; it must be public',
  },
  { name: 'api_key', ...SECRET },
);

export const PROVIDER_FIELDS = fieldsOf(
  '/admin/v1/custom_providers/{id}',
  {
    name: 'base_url',
    label: 'Address',
    help: 'A new address needs the key again',
    effect: (value) => `Requests are sent to ${value}, with the key that you enter here.`,
  },
  { name: 'api_key', ...SECRET, none: 'as it is', effect: () => 'Requests use the new key at once.' },
);

const price = <const Name extends string>(name: Name, label: string) =>
  ({ name: `price.${name}`, label: `${label}, USD per million tokens`, none: 'none' }) as const;
const UNKNOWN = 'not known';

export const NEW_MODEL_FIELDS = fieldsOf(
  '/admin/v1/custom_models',
  { name: 'name', label: 'Name', help: 'Without that of its provider' },
  { name: 'external_id', label: 'Name at the provider', none: 'the same' },
  { name: 'context_length', label: 'Context window', noun: 'token' },
  { name: 'max_output', label: 'Max output tokens', noun: 'token' },
  price('input', 'Input'),
  price('output', 'Output'),
  price('cache_read', 'Cache reads'),
  price('cache_write_5m', 'Cache writes, 5 minutes'),
  price('cache_write_1h', 'Cache writes, 1 hour'),
  price('reasoning', 'Reasoning'),
  price('input_audio', 'Audio input'),
  price('output_audio', 'Audio output'),
  price('input_image', 'Image input'),
  price('output_image', 'Image output'),
  { name: 'reasoning', label: 'Reasons', none: UNKNOWN },
  { name: 'vision', label: 'Accepts images', none: UNKNOWN },
  { name: 'tools', label: 'Accepts tools', none: UNKNOWN },
);

import { type Dialect, EFFORTS } from '#canonical';
import { Type, type Static, type TSchema } from 'typebox';

export const effortsSchema = Type.Array(Type.Enum(EFFORTS), { uniqueItems: true });

const fields = {
  maxTokensField: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
  systemRole: Type.Optional(Type.Enum(['system', 'developer'])),
  midSystem: Type.Optional(Type.Enum(['in-place', 'as-user'])),
  sampling: Type.Optional(Type.Enum(['full', 'no-penalties', 'none'])),
  topK: Type.Optional(Type.Boolean()),
  maxTemperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  maxStopSequences: Type.Optional(Type.Integer({ minimum: 0 })),
  reasoningField: Type.Optional(
    Type.Enum([
      'none',
      'reasoning_effort',
      'reasoning.effort',
      'thinking.type',
      'enable_thinking',
      'thinking',
      'reasoningConfig',
      'thinkingLevel',
      'thinkingBudget',
    ]),
  ),
  efforts: Type.Optional(effortsSchema),
  effortWithTools: Type.Optional(Type.Boolean()),
  thinkingModes: Type.Optional(
    Type.Array(Type.Enum(['adaptive', 'between_tools', 'budget', 'disabled']), { uniqueItems: true }),
  ),
  reasoningReplay: Type.Optional(Type.Enum(['none', 'reasoning_content', 'reasoning'])),
  issuer: Type.Optional(Type.String({ minLength: 1 })),
  thoughtSignatures: Type.Optional(Type.Enum(['required', 'optional'])),
  toolCallId: Type.Optional(
    Type.Object(
      {
        maxLength: Type.Integer({ minimum: 1 }),
        alphabet: Type.Enum(['word', 'alphanumeric']),
        exactLength: Type.Optional(Type.Integer({ minimum: 1 })),
      },
      { additionalProperties: false },
    ),
  ),
  maxToolName: Type.Optional(Type.Integer({ minimum: 1 })),
  parallelToolCalls: Type.Optional(Type.Boolean()),
  forcedToolChoice: Type.Optional(Type.Boolean()),
  customTools: Type.Optional(Type.Boolean()),
  strictTools: Type.Optional(Type.Boolean()),
  structuredOutput: Type.Optional(Type.Enum(['json-schema', 'json', 'none'])),
  cacheMarks: Type.Optional(Type.Enum(['cache_control', 'prompt_cache_breakpoint', 'cachePoint', 'none'])),
  promptCacheKey: Type.Optional(Type.Boolean()),
  streamUsage: Type.Optional(Type.Boolean()),
  media: Type.Optional(
    Type.Object(
      {
        image: Type.Optional(Type.Boolean()),
        imageUrl: Type.Optional(Type.Boolean()),
        document: Type.Optional(Type.Boolean()),
        audio: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
  ),
  resultMedia: Type.Optional(Type.Boolean()),
  prefill: Type.Optional(Type.Boolean()),
  continuesPrefill: Type.Optional(Type.Boolean()),
  betas: Type.Optional(Type.Enum(['verbatim', 'listed', 'none'])),
  allowedBetas: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  toolSearch: Type.Optional(Type.Boolean()),
  countTokens: Type.Optional(Type.Boolean()),
  completionExcludesReasoning: Type.Optional(Type.Boolean()),
  refusedFields: Type.Optional(Type.Array(Type.String())),
} satisfies Record<keyof Dialect, TSchema>;

/** Overrides of a format's dialect by a provider or mapping: any of its fields, and single members of `media`. */
export const dialectOverridesSchema = Type.Object(fields, { additionalProperties: false });

/** Dialect overrides as a catalogue file or `sluice.yaml` writes them. */
export type DialectOverrides = Static<typeof dialectOverridesSchema>;

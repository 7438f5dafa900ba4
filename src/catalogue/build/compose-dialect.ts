import type { Dialect, Effort, FormatId } from '#canonical';
import type { Provider } from '../catalogue.ts';
import type { DialectOverrides } from '../schema/dialect-schema.ts';
import { FORMAT_DIALECTS } from '#canonical';

/** A provider's dialect: its format's, with the overrides of its file. */
export function composeProviderDialect(format: FormatId, overrides: DialectOverrides = {}): Dialect {
  return overrideDialect(FORMAT_DIALECTS[format], overrides);
}

/** The dialects of formats that only some of a provider's models use. */
export function composeProviderDialects(
  overrides: Partial<Record<FormatId, DialectOverrides>>,
): Partial<Record<FormatId, Dialect>> {
  const entries = Object.entries(overrides) as [FormatId, DialectOverrides][];
  return Object.fromEntries(
    entries.map(([format, changed]) => [format, composeProviderDialect(format, changed)]),
  );
}

/** A provider's dialect in a format; refinements of its own format do not apply to another. */
export function dialectIn(
  provider: Pick<Provider, 'format' | 'dialect' | 'dialects'>,
  format: FormatId,
): Dialect {
  if (format === provider.format) return provider.dialect;
  return provider.dialects?.[format] ?? composeProviderDialect(format);
}

/** Declarations of a mapping that narrow its provider's dialect. */
export interface DeclaredAbilities {
  capabilities: ReadonlySet<string>;
  efforts: Effort[];
}

/** A mapping's dialect: its provider's, narrowed to the model's abilities, with the mapping's overrides. */
export function composeMappingDialect(
  provider: Dialect,
  { capabilities, efforts }: DeclaredAbilities,
  overrides: DialectOverrides = {},
): Dialect {
  const narrowed: Dialect = {
    ...provider,
    efforts,
    media: {
      image: provider.media.image && capabilities.has('vision'),
      imageUrl: provider.media.imageUrl && capabilities.has('vision'),
      document: provider.media.document && capabilities.has('documents'),
      audio: provider.media.audio && capabilities.has('audio'),
    },
    structuredOutput: capabilities.has('json-schema')
      ? 'json-schema'
      : capabilities.has('json')
        ? 'json'
        : 'none',
  };
  if (!capabilities.has('reasoning')) silenceReasoning(narrowed);
  else if (narrowed.reasoningField === 'reasoning_effort' && efforts.length === 0)
    narrowed.reasoningField = 'none';
  return overrideDialect(narrowed, overrides);
}

/** A model that does not reason is sent no reasoning options and no reasoning of other models. */
function silenceReasoning(dialect: Dialect): void {
  dialect.reasoningField = 'none';
  dialect.reasoningReplay = 'none';
  dialect.thinkingModes = [];
}

/** A dialect with overrides applied. */
export function overrideDialect(base: Dialect, overrides: DialectOverrides): Dialect {
  const { toolCallId, media, ...plain } = overrides;
  return {
    ...base,
    ...plain,
    media: { ...base.media, ...media },
    ...(toolCallId && { toolCallId }),
  };
}

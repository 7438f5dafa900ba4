import type { Effort, FormatId } from '#canonical';
import type { Provider } from '../catalogue.ts';
import type { ProtocolId, VideoProtocolId } from '../schema/file-schema.ts';

/** Defaults of a provider or model of which only the format is known. */
interface FormatDefaults {
  /** The header that carries the key. */
  auth: Provider['auth'];
  /** Whether a model reasons, and the efforts of one for which reasoning is configured. */
  reasoning: boolean;
  efforts: readonly Effort[];
  media: ProtocolId;
  videos: VideoProtocolId;
  /** Whether an organization's own provider may use the format. The table `custom_providers` checks the same. */
  mayBeCustom: boolean;
}

const OPENAI = {
  auth: 'bearer',
  efforts: ['low', 'medium', 'high'],
  media: 'openai',
  videos: 'openai',
} as const;

const DEFAULTS = {
  chat: { ...OPENAI, reasoning: false, mayBeCustom: true },
  messages: { ...OPENAI, auth: 'x-api-key', reasoning: true, efforts: [], mayBeCustom: true },
  responses: { ...OPENAI, reasoning: true, mayBeCustom: false },
  gemini: {
    auth: 'x-goog-api-key',
    reasoning: true,
    efforts: [],
    media: 'google',
    videos: 'veo',
    mayBeCustom: true,
  },
  converse: { ...OPENAI, reasoning: false, efforts: [], mayBeCustom: false },
} as const satisfies Record<FormatId, FormatDefaults>;

export const FORMAT_DEFAULTS: Readonly<Record<FormatId, FormatDefaults>> = DEFAULTS;

type Defaults = typeof DEFAULTS;

export type CustomFormat = {
  [Format in keyof Defaults]: Defaults[Format]['mayBeCustom'] extends true ? Format : never;
}[keyof Defaults];

export const CUSTOM_FORMATS = (Object.keys(FORMAT_DEFAULTS) as FormatId[]).filter(
  (format): format is CustomFormat => FORMAT_DEFAULTS[format].mayBeCustom,
);

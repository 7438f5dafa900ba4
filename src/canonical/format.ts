import type { JsonObject } from '#base';

/** The wire formats a provider may speak. */
export type FormatId = 'messages' | 'chat' | 'responses' | 'gemini' | 'converse';

/** The wire formats a client may speak. */
export type ClientFormatId = Exclude<FormatId, 'converse'>;

/** Fields a format sent that the neutral model does not name; written back only to that format. */
export type Extra = Partial<Record<FormatId, JsonObject>>;

import type { JsonObject } from '#base';

/** The wire formats a client or a provider may speak. */
export type FormatId = 'messages' | 'chat';

/** Fields a format sent that the neutral model does not name; written back only to that format. */
export type Extra = Partial<Record<FormatId, JsonObject>>;

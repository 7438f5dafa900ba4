import type { CanonicalRequest, Target } from '#canonical';
import { GatewayError } from '#errors';
import type { DocumentNames } from './document-names.ts';
import type { ToolIds } from '../tool-ids.ts';
import type { ToolNames } from '../tool-names.ts';

/** What every part of one Converse body needs to know. */
export interface EncodeContext {
  request: CanonicalRequest;
  target: Target;
  names: ToolNames;
  ids: ToolIds;
  documents: DocumentNames;
}

/** Stands where Converse insists on a text and the caller gave none; blank text it refuses. */
export const FILLER = '…';

export function refuseFeature(what: string, param = 'messages'): never {
  throw new GatewayError('unsupported_feature', `this model's provider cannot take ${what}`, { param });
}

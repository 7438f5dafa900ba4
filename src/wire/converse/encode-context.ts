import { GatewayError } from '#errors';
import { EncodeContext as CommonContext } from '../encode-context.ts';
import { DocumentNames } from './document-names.ts';

/** What the parts of a Converse body share. */
export class EncodeContext extends CommonContext {
  readonly documents = new DocumentNames();
}

/** Stands where Converse insists on a text and the caller gave none; blank text it refuses. */
export const FILLER = '…';

export function refuseFeature(what: string, param = 'messages'): never {
  throw new GatewayError('unsupported_feature', `this model's provider cannot take ${what}`, { param });
}

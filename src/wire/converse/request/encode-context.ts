import { EncodeContext as CommonContext } from '../../request/encode-context.ts';
import { DocumentNames } from './document-names.ts';

/** State shared while one Converse body is encoded. */
export class EncodeContext extends CommonContext {
  readonly documents = new DocumentNames();
}

/** Text where Converse requires one and the caller sent none; blank text is refused. */
export const FILLER = '…';

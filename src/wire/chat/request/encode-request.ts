import type { EncodeContext } from '../../request/encode-context.ts';
import type { Members } from '../../body/unchecked.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeOptions } from './encode-options.ts';
import { encodeOutput } from './encode-output.ts';
import { encodeTools } from './encode-tools.ts';
import type { ChatBody } from '../schema.ts';

/** Encodes a request as a Chat body. */
export function encodeRequest(context: EncodeContext): Members<ChatBody> {
  const { fields, instruction } = encodeOutput(context.request, context.dialect);
  const messages = encodeMessages(context, instruction);
  return encodeOptions(context, { messages, tools: encodeTools(context), ...fields });
}

import type { AccountObject, References } from '#canonical';
import { findConversation } from '../request/find-conversation.ts';
import { createParamError, type GatewayError, toGatewayError } from '#errors';
import { quote } from '#catalogue';

/** Refuses to continue a conversation; clients then send all of it. */
export function refuseThread({ name, path }: AccountObject): GatewayError {
  const reason = 'is stored at no provider that serves this model for this caller';
  return createParamError(path, `${quote(name)} ${reason}; send the whole conversation`, 'thread_not_found');
}

/**
 * The error for a budget that does not cover a request: a whole conversation may need less than one whose
 * length only its provider knows, which is held for as the longest possible.
 */
export function explainShortage({ accountObjects }: References, thrown: unknown): unknown {
  const conversation = findConversation(accountObjects);
  if (!conversation || !toGatewayError(thrown).facts.shortage) return thrown;
  const complaint = 'the budget does not cover a conversation of unknown length; send the whole conversation';
  return createParamError(conversation.path, complaint, 'thread_not_found');
}

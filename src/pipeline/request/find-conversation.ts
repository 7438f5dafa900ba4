import type { AccountObject, References } from '#canonical';

/** The conversation at a provider that a request continues. */
export function findConversation(
  objects: References['accountObjects'] | undefined,
): AccountObject | undefined {
  return objects?.find(({ isConversation }) => isConversation);
}

import type { FailureKind } from '#errors';

export const CREDENTIAL_REFUSED = 'the provider refused the credential of this gateway';

const MESSAGES: { readonly [Kind in FailureKind]?: string } = {
  'credential-refused': CREDENTIAL_REFUSED,
  'out-of-quota': 'the account of this gateway at the provider is out of quota',
};

const MOST_MESSAGE = 4096;

/** The upstream's own message, because clients match on it; a general one where it concerns the gateway's account, whose key it may quote. */
export function chooseMessage(
  kind: FailureKind,
  given: string | undefined,
  status: number | undefined,
): string {
  const ofAccount = MESSAGES[kind];
  if (ofAccount !== undefined) return ofAccount;
  if (given !== undefined && given !== '') return given.slice(0, MOST_MESSAGE);
  return status === undefined
    ? 'the provider reported an error'
    : `the provider answered with status ${status}`;
}

import type { FailureKind } from '#errors';

export const CREDENTIAL_REFUSED = 'the provider refused the credential of this gateway';

const MESSAGES: { readonly [Kind in FailureKind]?: string } = {
  'credential-refused': CREDENTIAL_REFUSED,
  'out-of-quota': 'the account of this gateway at the provider is out of quota',
};

/** In place of an upstream's message about the gateway's account, which may quote its key. */
export function findAccountMessage(kind: FailureKind): string | undefined {
  return MESSAGES[kind];
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

/** What is wrong with a signing secret of Standard Webhooks; undefined if nothing is. */
export function findSecretFault(secret: string): string | undefined {
  return SECRET.test(secret) ? undefined : '`secret` must be whsec_ and at least 24 bytes in base64';
}

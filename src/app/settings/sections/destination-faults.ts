/** Whether a text is a URL in which nothing is secret. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return false;
  return url.username === '' && url.password === '' && url.hash === '';
}

export const describeUrl = (name: string): string =>
  `\`${name}\` must be an http or https URL without user, password and fragment`;

const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

/** What is wrong with a signing secret of Standard Webhooks; undefined if nothing is. */
export function findSecretFault(secret: string): string | undefined {
  return SECRET.test(secret) ? undefined : '`secret` must be whsec_ and at least 24 bytes in base64';
}

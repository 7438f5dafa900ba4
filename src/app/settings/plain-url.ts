/** Whether a text is a URL in which nothing is secret. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return false;
  return url.username === '' && url.password === '' && url.hash === '';
}

export const describeUrl = (name: string): string =>
  `\`${name}\` must be an http or https URL without user, password and fragment`;

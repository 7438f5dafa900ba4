/** Schemes that are read without an account. */
const PUBLIC_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'data:']);
const SCHEME = /^[a-z][a-z\d+.-]*:/;
const GOOGLE = '.googleapis.com';
/** Public objects are also read over HTTP here, without an account. */
const GOOGLE_PUBLIC = 'storage.googleapis.com';

/** Whether an address needs the account at the provider: `gs://…`, a file of Google's Files API. */
export function isAccountAddress(address: string): boolean {
  if (/^data:/i.test(address)) return false;
  if (!URL.canParse(address)) return SCHEME.test(address.trim().toLowerCase());
  const { protocol, hostname } = new URL(address);
  if (!PUBLIC_SCHEMES.has(protocol)) return true;
  return hostname.endsWith(GOOGLE) && hostname !== GOOGLE_PUBLIC;
}

/** Also accepts plain file names, such as Gemini's `files/abc`. */
export function isAccountFile(uri: string): boolean {
  return !URL.canParse(uri) || isAccountAddress(uri);
}

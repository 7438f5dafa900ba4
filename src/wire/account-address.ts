/** Read without anybody's account. */
const PUBLIC_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'data:']);
const SCHEME = /^[a-z][a-z\d+.-]*:/;
const GOOGLE = '.googleapis.com';
/** What anybody may read by http: Google asks for no account there. */
const GOOGLE_PUBLIC = 'storage.googleapis.com';

/** Whether an address is read with the account at the provider: `gs://…`, a file of Google's Files API. */
export function isAccountAddress(address: string): boolean {
  if (/^data:/i.test(address)) return false;
  if (!URL.canParse(address)) return SCHEME.test(address.trim().toLowerCase());
  const { protocol, hostname } = new URL(address);
  if (!PUBLIC_SCHEMES.has(protocol)) return true;
  return hostname.endsWith(GOOGLE) && hostname !== GOOGLE_PUBLIC;
}

/** The same where what is no address at all is the name of a file: Gemini's `files/abc`. */
export function isAccountFile(uri: string): boolean {
  return !URL.canParse(uri) || isAccountAddress(uri);
}

const JPEG = 'image/jpeg';
/** A common misspelling that providers refuse. */
const MISNAMED = 'image/jpg';
const DATA = 'data:';

/** A media type in lower case under its registered name. */
export function normalizeMediaType(type: string): string {
  const lower = type.toLowerCase();
  return lower === MISNAMED ? JPEG : lower;
}

/** Whether a media type must be rewritten for providers. */
export function isMisnamed(type: unknown): boolean {
  return typeof type === 'string' && type.length === MISNAMED.length && type.toLowerCase() === MISNAMED;
}

/** The same for a data URL; reads its beginning only. */
export function isMisnamedUrl(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  const end = DATA.length + MISNAMED.length;
  return /[;,]/.test(url.charAt(end)) && url.slice(0, end).toLowerCase() === DATA + MISNAMED;
}

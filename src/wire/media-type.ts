const JPEG = 'image/jpeg';
/** What many programs write for it; providers refuse the name. */
const MISNAMED = 'image/jpg';
const DATA = 'data:';

/** A media type in lower case and under its registered name. */
export function normalizeMediaType(type: string): string {
  const lower = type.toLowerCase();
  return lower === MISNAMED ? JPEG : lower;
}

/** Whether a media type has to be written otherwise before a provider takes it. */
export function isMisnamed(type: unknown): boolean {
  return typeof type === 'string' && type.length === MISNAMED.length && type.toLowerCase() === MISNAMED;
}

/** The same of a data URL; looks at its beginning only. */
export function isMisnamedUrl(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  const end = DATA.length + MISNAMED.length;
  return /[;,]/.test(url.charAt(end)) && url.slice(0, end).toLowerCase() === DATA + MISNAMED;
}

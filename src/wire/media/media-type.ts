const JPEG = 'image/jpeg';
/** A common misspelling that providers refuse. */
const MISNAMED = 'image/jpg';
const DATA = 'data:';
/** Subtypes of sounds that OpenAI's formats name differently. */
const AUDIO_FORMATS: Readonly<Record<string, string>> = { mpeg: 'mp3', mpeg3: 'mp3', wave: 'wav' };

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

/** The format of a sound as OpenAI's formats name it: `mp3` of `audio/mpeg`, `wav` of `audio/x-wav`. */
export function toAudioFormat(mediaType: string | undefined): string {
  const [, subtype = 'wav'] = /^audio\/(?:x-|vnd\.)?([^;\s]+)/i.exec(mediaType ?? '') ?? [];
  const name = subtype.toLowerCase();
  return AUDIO_FORMATS[name] ?? name;
}

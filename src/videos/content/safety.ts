/** What a player may do with the bytes: play them, and nothing else. */
export const SAFETY = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; media-src 'self'; sandbox",
};

/** The type of a video, and a name for whoever saves it. */
export function nameFile(id: string, mediaType: string): Record<string, string> {
  const type = mediaType.trim();
  const extension = /^video\/([a-z0-9]{2,8})\b/i.exec(type)?.[1]?.toLowerCase() ?? 'mp4';
  return {
    'content-type': type.slice(0, 100),
    'content-disposition': `inline; filename="${id}.${extension}"`,
  };
}

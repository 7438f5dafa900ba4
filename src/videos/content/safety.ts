/** Headers that let a browser play the bytes and nothing else. */
export const SAFETY = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; media-src 'self'; sandbox",
};

/** The type of a video, and a file name for saving it. */
export function nameFile(id: string, mediaType: string): Record<string, string> {
  const type = mediaType.trim();
  const extension = /^video\/([a-z0-9]{2,8})\b/i.exec(type)?.[1]?.toLowerCase() ?? 'mp4';
  return {
    'content-type': type.slice(0, 100),
    'content-disposition': `inline; filename="${id}.${extension}"`,
  };
}

import { createHmac, timingSafeEqual } from 'node:crypto';

/** The claims of a token; times in seconds since the Unix epoch. */
interface TokenClaims {
  logId: string;
  projectId: string;
  expiresAt: number;
}

/** Creates and reads the tokens of content addresses; each grants reading one video of one project. */
interface ContentTokens {
  create(claims: TokenClaims): string;
  /** The project of a token; absent if it is malformed, expired or for another log id. */
  read(token: string, logId: string, now: number): { projectId: string } | undefined;
}

/** Names the key, so that it can be rotated. */
const KEY_ID = '1';
const SHAPE = /^1\.([1-9]\d{9,11})\.(\w{1,60})\.([\w-]{43})$/;

export function createContentTokens(installation: Uint8Array): ContentTokens {
  const key = createHmac('sha256', installation).update('sluice video content 1').digest();
  const sign = ({ logId, projectId, expiresAt }: TokenClaims): string =>
    createHmac('sha256', key).update(`${logId}\n${expiresAt}\n${projectId}`).digest('base64url');
  return {
    create: (claims) => `${KEY_ID}.${claims.expiresAt}.${claims.projectId}.${sign(claims)}`,
    read: (token, logId, now) => {
      const [, expiry = '', projectId = '', mac = ''] = SHAPE.exec(token) ?? [];
      if (mac === '') return undefined;
      const expected = sign({ logId, projectId, expiresAt: Number(expiry) });
      // Compared as text: the last digit of a MAC has bits that decoding would drop.
      const isGenuine = timingSafeEqual(Buffer.from(mac), Buffer.from(expected));
      return isGenuine && Number(expiry) * 1_000 > now ? { projectId } : undefined;
    },
  };
}

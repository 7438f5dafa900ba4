import type { Accounts } from '#accounts';
import type { HttpHeaders, Clock, JsonObject } from '#base';
import type { PendingSignIn } from '../issuer.ts';
import { parseJsonObject } from '#base';
import { GatewayError } from '#errors';
import { readSignInCookie, writeSignInCookie } from './session-cookie.ts';

/** A sign-in that a browser has begun: what it must bring back, and the session that it replaces. */
interface Pending extends PendingSignIn {
  /** The session that the browser had; its cookie does not come back with the issuer's redirect. */
  earlier?: string;
}

interface PendingPorts {
  accounts: Pick<Accounts, 'dashboard'>;
  clock: Clock;
}

const MINUTES = 10;
const NAME = 'pending sign-in';

/** The header that keeps it in the browser, encrypted; nothing is stored for a person who is not signed in yet. */
export function keepPending({ accounts, clock }: PendingPorts, pending: Pending, host: string): string {
  const text = JSON.stringify({ ...pending, until: clock.now() + MINUTES * 60_000 });
  const value = accounts.dashboard.seal.seal(NAME, text).toString('base64url');
  const isSecure = pending.redirectUrl.startsWith('https:');
  return writeSignInCookie({ value, isSecure }, host, MINUTES * 60);
}

/** Throws `invalid_credential` if this browser has not begun to sign in, or too long ago. */
export function recallPending({ accounts, clock }: PendingPorts, headers: HttpHeaders): Pending {
  const cookie = readSignInCookie(headers);
  const found = cookie === undefined ? undefined : open(accounts, cookie);
  if (found && Number(found['until']) > clock.now()) return found as unknown as Pending;
  throw new GatewayError(
    'invalid_credential',
    `This browser has not begun to sign in here, or more than ${MINUTES} minutes ago. Sign in again.`,
    { param: 'state' },
  );
}

function open({ dashboard }: PendingPorts['accounts'], cookie: string): JsonObject | undefined {
  try {
    return parseJsonObject(dashboard.seal.open(NAME, Buffer.from(cookie, 'base64url')));
  } catch {
    return undefined; // of another installation, or changed
  }
}

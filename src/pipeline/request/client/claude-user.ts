import type { LogNames } from '#logs';
import { parseJsonObject } from '#base';

/** Before 2.1: `user_<device>_account_<uuid>_session_<uuid>`, the account empty without a login. */
const EARLIER = /^user_(\w+?)_account_([\w-]*?)_session_([\w-]+)$/;

/** Its length is bounded, so a longer text is something else. */
const LONGEST = 1_000;

/** What Claude Code's `metadata.user_id` is made of; undefined for any other text. */
export function readClaudeUser(text: string): Pick<LogNames, 'endUserId' | 'sessionId'> | undefined {
  if (text.length > LONGEST) return undefined;
  if (text.startsWith('{')) return readObject(text);
  const match = text.startsWith('user_') ? EARLIER.exec(text) : null;
  if (!match) return undefined;
  const [, device = '', account = '', sessionId = ''] = match;
  return { endUserId: account === '' ? device : account, sessionId };
}

function readObject(text: string): ReturnType<typeof readClaudeUser> {
  const value = parseJsonObject(text);
  if (!value) return undefined;
  const { account_uuid: account, device_id: device, session_id: sessionId } = value;
  const user = [account, device].find((id) => typeof id === 'string' && id !== '');
  return {
    ...(typeof user === 'string' && { endUserId: user }),
    ...(typeof sessionId === 'string' && sessionId !== '' && { sessionId }),
  };
}

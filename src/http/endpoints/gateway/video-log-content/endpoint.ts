import type { Accounts } from '#accounts';
import type { JobTenant, Videos } from '#videos';
import type { Call } from '../../../endpoint.ts';
import { hasCredential } from '#accounts';
import { GatewayError } from '#errors';
import { identify, permitAddress } from '#pipeline';
import { CONTENT_REFUSALS, CONTENT_RESPONSES } from '../../../gateway/content-responses.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { createNoVideo } from '../../../gateway/get-video.ts';

const LOG_ID = /^req_\w{1,60}$/;

export const videoLogContentEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/videos/logs/:log_id/content',
  summary:
    'The content of a completed video by its log id, with the token of its link, a key of its project or the session token that ordered it.',
  auth: 'none',
  format: 'chat',
  query: {
    token: {
      description: 'The token in the `content` link of a completed video; no other credential is needed.',
      minLength: 1,
    },
  },
  responses: CONTENT_RESPONSES,
  refusals: CONTENT_REFUSALS,
  needs: ['accounts', 'videos'],
  handle: async (call, { accounts, videos }) => {
    const logId = call.params['log_id'] ?? '';
    const tenant = await getTenant(call, logId, { accounts, videos });
    const job = LOG_ID.test(logId) ? await videos.findByLog(logId, tenant) : undefined;
    if (!job) throw createNoVideo('log_id');
    const { headers, method, reply } = call;
    await videos.sendContent(job, { headers, isHead: method === 'HEAD', reply });
  },
});

/** Whose videos may be read: a valid token decides, otherwise the key, if there is one. */
async function getTenant(
  { query, headers, clientAddress }: Call,
  logId: string,
  { accounts, videos }: { accounts: Accounts; videos: Videos },
): Promise<JobTenant> {
  const tokens = query.getAll('token');
  const [token = ''] = tokens;
  const opened = tokens.length === 1 ? videos.readToken(token, logId) : undefined;
  if (opened) return opened;
  if (!hasCredential(headers)) {
    throw new GatewayError(
      'invalid_token',
      'this address needs the token of its link (they expire), or an API key of its project',
    );
  }
  const caller = await identify(accounts, headers, { sessions: true });
  permitAddress(caller, clientAddress);
  return caller;
}

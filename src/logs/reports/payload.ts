import {
  flag,
  mapOf,
  named,
  nullableOutput,
  number,
  objectOf,
  outputText,
  membersOf,
  reportOf,
  time,
} from '#fields';
import type { Logs } from '../rows/logs.ts';
import type { Payloads, StoredPayload } from '../payloads/payloads.ts';
import { findRow } from './find-row.ts';

/** The id of a request, with its payload if one is stored. */
type FoundPayload = Pick<StoredPayload, 'requestId'> & Partial<StoredPayload>;

const textMembers = membersOf<StoredPayload['request']>()({
  text: outputText('As it was sent, without credentials.'),
  bytes: number('Of the original.'),
  isCut: named('truncated', flag('', 'Whether the text is only its beginning.')),
});

const answer = objectOf<StoredPayload['answer']>()({
  ...textMembers,
  status: number(),
  contentType: outputText(),
  headers: nullableOutput(
    mapOf(outputText()),
    'Those that the gateway set; null for answers of a version that did not store them.',
  ),
});

/** A payload in responses. */
export const payloadType = objectOf<FoundPayload>()(
  {
    requestId: named('id', outputText('The id of the request.')),
    expiresAt: nullableOutput(time),
    request: nullableOutput(objectOf<StoredPayload['request']>()(textMembers)),
    answer: nullableOutput(answer, 'As the caller received it, which may be server-sent events.'),
  },
  { name: 'payload', title: 'Payload' },
);

export const payloadReport = reportOf<{ logs: Logs; payloads: Pick<Payloads, 'find'> }>()({
  path: 'logs/{id}/payload',
  summary: 'The bodies of a request and its answer, of a project that stores payloads.',
  scope: 'payloads:read',
  isForMembers: true,
  record: 'request',
  filters: {},
  answer: 'The bodies; null where none are stored.',
  output: payloadType,
  read: async (call) => {
    const row = await findRow(call);
    if (!row) return undefined;
    const { requestId, organizationId } = row;
    return { requestId, ...(await call.payloads.find(requestId, { organizationId })) };
  },
});

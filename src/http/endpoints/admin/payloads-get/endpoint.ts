import { encodePayload } from '#logs';
import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { getLog } from '../../../admin/get-log.ts';
import { orNull, timeShape } from '../../../admin/fields.ts';

const textShape = {
  text: Type.String({ description: 'As it was sent, without credentials.' }),
  bytes: Type.Integer({ description: 'Of the original.' }),
  truncated: Type.Boolean({ description: 'Whether the text is only its beginning.' }),
};

export const getPayloadEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/logs/{id}/payload',
  summary: 'The bodies of a request and its answer, of a project that stores payloads.',
  scope: 'payloads:read',
  answer: {
    description: 'The bodies; null where none are stored.',
    schema: Type.Object(
      {
        object: Type.Literal('payload'),
        id: Type.String({ description: 'The id of the request.' }),
        expires_at: orNull(timeShape),
        request: orNull(Type.Object(textShape)),
        answer: orNull(
          Type.Object({
            ...textShape,
            status: Type.Integer(),
            content_type: Type.String(),
            headers: orNull(
              Type.Record(Type.String(), Type.String()),
              'Those that the gateway set; null for answers of a version that did not store them.',
            ),
          }),
          'As the caller received it, which may be server-sent events.',
        ),
      },
      { title: 'Payload' },
    ),
  },
  isForMembers: true,
  needs: ['logs', 'payloads'],
  handle: async (request, { logs, payloads }) => {
    const { organizationId } = await getLog(request, logs);
    return encodePayload(request.id, await payloads.find(request.id, { organizationId }));
  },
});

import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed } from '../../../admin/fields.ts';
import { encodeKey, keyShape } from '../../../admin/key-shape.ts';

const USUAL_GRACE_SECONDS = 86_400;
const MOST_GRACE_SECONDS = 90 * 86_400;

export const rotateKeyEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/keys/{id}/rotate',
  summary:
    'Give an API key a new text, shown in this answer and never again; the present one opens for a grace.',
  task: 'accounts:write',
  body: closed({
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOST_GRACE_SECONDS,
        description: `a whole number of seconds from 0 to ${MOST_GRACE_SECONDS}; a day unless given`,
      }),
    ),
  }),
  answer: {
    description: 'The key with its new text.',
    schema: Type.Object({ secret: Type.String(), ...keyShape.properties }),
  },
  handle: async ({ directory, id, body }) => {
    const graceMs = (body.grace_seconds ?? USUAL_GRACE_SECONDS) * 1000;
    const { secret, key } = await directory.rotateKey(id, { graceMs });
    return { secret, ...encodeKey(key) };
  },
});

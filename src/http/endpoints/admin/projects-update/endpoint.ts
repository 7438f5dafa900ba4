import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, orNull } from '../../../admin/fields.ts';
import { encodeProject, projectShape } from '../../../admin/project-shape.ts';

const TTL = 'a whole number of seconds from 10 to 31536000, or null to keep no answers';

export const updateProjectEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/projects/{id}',
  summary: 'Change how long a project keeps answers for replay.',
  task: 'accounts:write',
  body: closed({
    cache_ttl_seconds: Type.Optional(orNull(Type.Integer({ minimum: 10, maximum: 31_536_000 }), TTL)),
  }),
  answer: { description: 'The project as it is now.', schema: projectShape },
  handle: async ({ directory, id, body: { cache_ttl_seconds: ttlSeconds } }) => {
    if (ttlSeconds !== undefined) await directory.setCacheTtl({ projectId: id, ttlSeconds });
    return encodeProject(await directory.getProject(id));
  },
});

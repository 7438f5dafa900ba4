import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodeProject, projectShape } from '../../../admin/project-shape.ts';

export const getProjectEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/projects/{id}',
  summary: 'A project.',
  task: 'accounts:read',
  answer: { description: 'The project.', schema: projectShape },
  handle: async ({ directory, id }) => encodeProject(await directory.getProject(id)),
});

import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, idField, nameField } from '../../../admin/fields.ts';
import { encodeProject, projectShape } from '../../../admin/project-shape.ts';

export const createProjectEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/projects',
  summary: 'Make a project: a part of an organization with its own keys.',
  task: 'accounts:write',
  body: closed({ organization_id: idField('its organization'), name: nameField }),
  answer: { description: 'The project.', schema: projectShape },
  canMiss: true,
  handle: async ({ directory, body: { organization_id: organizationId, name } }) =>
    encodeProject(await directory.createProject({ organizationId, name })),
});

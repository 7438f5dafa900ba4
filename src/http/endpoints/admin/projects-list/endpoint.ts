import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';
import { encodeProject, projectShape } from '../../../admin/project-shape.ts';
import { refuse } from '../../../admin/read-query.ts';

export const listProjectsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/projects',
  summary: 'List the projects of an organization, oldest first.',
  task: 'accounts:read',
  query: {
    organization_id: 'The organization; needed unless the admin key is bound to one.',
    ...PAGE_QUERY,
  },
  answer: { description: 'A page of projects.', schema: createListSchema(projectShape) },
  handle: async ({ caller, directory, query }) => {
    const page = readPage(query);
    const organizationId = query['organization_id'] ?? caller.organizationId;
    if (organizationId === undefined) throw refuse('organization_id', 'is missing');
    return encodeList(page, (await directory.listProjects(organizationId, page)).map(encodeProject));
  },
});

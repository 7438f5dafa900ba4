import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { auditShape, encodeAudit } from '../../../admin/audit-shape.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';
import { readTime } from '#accounts';

export const listAuditEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/audit_logs',
  summary: 'List changes of what is administered, newest first: who, when, what, from what to what.',
  task: 'audit:read',
  query: {
    organization_id: 'Only changes within this organization.',
    actor: 'Only changes by this admin key, or by `command line`.',
    action: 'Only changes of this kind, such as `key.updated`.',
    subject_id: 'Only changes of this organization, project, key or other thing.',
    request_id: 'Only changes by this request.',
    since: 'Only changes at this time (ISO 8601) or later.',
    ...PAGE_QUERY,
  },
  answer: { description: 'A page of changes.', schema: createListSchema(auditShape) },
  handle: async ({ directory, query }) => {
    const page = readPage(query);
    const { organization_id: organizationId, subject_id: subjectId, request_id: requestId, since } = query;
    const { actor, action } = query;
    const entries = await directory.listAudit({
      ...(organizationId !== undefined && { organizationId }),
      ...(actor !== undefined && { actor }),
      ...(action !== undefined && { action }),
      ...(subjectId !== undefined && { subjectId }),
      ...(requestId !== undefined && { requestId }),
      ...(since !== undefined && { since: readTime(since, 'since') }),
      ...page,
    });
    return encodeList(page, entries.map(encodeAudit));
  },
});

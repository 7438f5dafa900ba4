import { GatewayError } from '#errors';
import { sendFile } from '../../../dashboard/send-file.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { openaiErrorSchema } from '#wire';

export const dashboardFileEndpoint = defineEndpoint({
  method: 'GET',
  path: '/dashboard/assets/:file',
  summary: 'A file of the dashboard; its name changes with its content.',
  auth: 'none',
  format: 'chat',
  responses: {
    200: { description: 'The file.', contentType: 'text/javascript' },
    404: { description: 'There is no such file in this build.', schema: openaiErrorSchema },
  },
  needs: ['dashboard'],
  handle: async (call, { dashboard }) => {
    const file = dashboard()?.get(`assets/${call.params['file'] ?? ''}`);
    if (!file)
      throw new GatewayError('not_found', 'this build of the dashboard has no such file; reload the page');
    sendFile(call, file);
  },
});

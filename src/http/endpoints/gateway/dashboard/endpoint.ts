import { GatewayError } from '#errors';
import { DASHBOARD_PAGE } from '../../../dashboard-files.ts';
import { SAFE_HEADERS, sendPage } from '../../../dashboard/send-file.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { openaiErrorSchema } from '#wire';

/** The dashboard's page. Its links are relative, so that it works behind a path prefix. */
export const dashboardEndpoint = defineEndpoint({
  method: 'GET',
  path: '/dashboard',
  summary: 'The dashboard.',
  auth: 'none',
  format: 'chat',
  responses: {
    200: { description: 'Its page.', contentType: 'text/html' },
    308: { description: 'The same path with a slash at its end.' },
    404: { description: 'The dashboard was not built.', schema: openaiErrorSchema },
  },
  needs: ['dashboard'],
  handle: async (call, { dashboard }) => {
    const page = dashboard()?.get(DASHBOARD_PAGE);
    if (!page) {
      throw new GatewayError(
        'not_found',
        'the dashboard is not built: run "npm ci" or "npm run build -w web", and restart the gateway',
      );
    }
    if (call.path.endsWith('/')) sendPage(call, page);
    else call.reply.send(308, { ...SAFE_HEADERS, location: 'dashboard/' }, '');
  },
});

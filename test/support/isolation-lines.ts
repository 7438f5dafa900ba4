import type { JsonObject } from '#base';
import { readDashboardFiles } from '../../src/app/lifecycle/dashboard-files.ts';
import { OF_ALL } from './admin-calls.ts';
import { MEDIA } from './fuzz/base-bodies.ts';
import { ADMIN_LINES } from './isolation-admin-lines.ts';
import type { IsolationLine } from './isolation-line.ts';
import type { Reach } from './isolation.ts';
import { type OwnedNames, keepResponse, keepVideo } from './isolation-owner.ts';

const MESSAGES = [{ role: 'user', content: 'hello' }];

/** A call that names a text model of the owner's organization. */
function namesModel(
  path: string,
  create: (model: string) => JsonObject | FormData,
  own = 200,
): IsolationLine {
  return {
    about: 'a model of the organization',
    of: 'organization',
    own,
    call: ({ model }) => ({ path, body: create(model) }),
  };
}

const NO_MEDIUM = 400;

function createForm(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new File(['RIFF'], 'hello.wav', { type: 'audio/wav' }));
  return form;
}

/** The stored responses and items that a prompt may continue. */
const listPasts = (path: string): IsolationLine[] => {
  const goesOn = (about: string, of: Reach, more: (names: OwnedNames) => JsonObject): IsolationLine => ({
    about,
    of,
    foreign: 400,
    call: (names) => ({ path, body: { model: 'large', input: 'hello', store: false, ...more(names) } }),
  });
  return [
    goesOn('a response of the project', 'project', ({ responseId }) => ({
      previous_response_id: responseId,
    })),
    goesOn('a response of an end user', 'end-user', ({ userResponseId }) => ({
      previous_response_id: userResponseId,
    })),
    goesOn('an item of the project', 'project', ({ itemId }) => refersTo(itemId)),
    goesOn('an item of an end user', 'end-user', ({ userItemId }) => refersTo(userItemId)),
  ];
};

const refersTo = (id: string): JsonObject => ({
  input: [
    { type: 'item_reference', id },
    { role: 'user', content: 'hello' },
  ],
});

const order = (of: Reach, about: string, keyOf: (names: OwnedNames) => string): IsolationLine => ({
  about,
  of,
  foreign: 200, // a video of the caller's own
  known: 'projectId', // is in its link, if it is ready at once
  reports: true,
  call: (names) => ({
    path: '/v1/videos',
    body: { model: 'open-video', prompt: 'a cat' },
    headers: { 'idempotency-key': keyOf(names) },
  }),
});

/** A stored response of a key, and one of an end user, which keys of the project cannot see either. */
const response = (renew?: IsolationLine['renew'], suffix = ''): IsolationLine[] => [
  {
    about: 'a response of the project',
    of: 'project',
    call: ({ responseId }) => ({ path: `/v1/responses/${responseId}${suffix}` }),
    ...(renew && { renew }),
  },
  {
    about: 'a response of an end user',
    of: 'end-user',
    call: ({ userResponseId }) => ({ path: `/v1/responses/${userResponseId}${suffix}` }),
  },
];

const video = (suffix = ''): IsolationLine => ({
  about: 'a video of the project',
  of: 'project',
  call: ({ videoId }) => ({ path: `/v1/videos/${videoId}${suffix}` }),
});

/** Keys of the project see what its end users order; end users do not see each other's. */
const userVideo = (suffix = ''): IsolationLine => ({
  about: 'a video of an end user',
  of: 'project',
  alsoOf: 'end-user',
  call: ({ userVideoId }) => ({ path: `/v1/videos/${userVideoId}${suffix}` }),
});

const open = (path: string): IsolationLine => ({ of: 'anyone', call: () => ({ path }) });

/** 404 where the dashboard is not built. */
const dashboardStatus = readDashboardFiles() ? 200 : 404;

/** The media that take JSON, with the bodies of `base-bodies.ts`; videos have lines of their own. */
const MEDIA_LINES = Object.fromEntries(
  Object.entries(MEDIA).map(([path, body]) => [
    `POST ${path}`,
    [namesModel(path, (model) => ({ ...body, model }), NO_MEDIUM)],
  ]),
);

const GATEWAY_LINES: Record<string, readonly IsolationLine[]> = {
  'GET /v1/usage': [
    { of: 'key', foreign: 200, known: 'keyId', call: () => ({ path: '/v1/usage?by=key' }) },
    {
      about: 'of a member',
      of: 'key',
      own: 400, // its key belongs to no member
      foreign: 400,
      reports: false,
      call: () => ({ path: '/v1/usage?of=member&by=user' }),
    },
  ],
  'GET /v1/sessions': [{ of: 'key', foreign: 200, known: 'keyId', call: () => ({ path: '/v1/sessions' }) }],
  'GET /v1/sessions/{id}': [{ of: 'key', call: ({ sessionId }) => ({ path: `/v1/sessions/${sessionId}` }) }],
  'POST /v1/messages': [
    namesModel('/v1/messages', (model) => ({ model, max_tokens: 8, messages: MESSAGES })),
  ],
  'POST /v1/messages/count_tokens': [
    namesModel('/v1/messages/count_tokens', (model) => ({ model, messages: MESSAGES })),
  ],
  'POST /v1/chat/completions': [
    namesModel('/v1/chat/completions', (model) => ({ model, max_tokens: 8, messages: MESSAGES })),
  ],
  'POST /v1/responses/input_tokens': [
    namesModel('/v1/responses/input_tokens', (model) => ({ model, input: 'hello' })),
    ...listPasts('/v1/responses/input_tokens'),
  ],
  'POST /v1/responses': [
    namesModel('/v1/responses', (model) => ({ model, input: 'hello', store: false })),
    ...listPasts('/v1/responses'),
  ],
  'GET /v1/responses/{id}': response(),
  'GET /v1/responses/{id}/input_items': response(undefined, '/input_items'),
  'DELETE /v1/responses/{id}': response(async ({ gateway, names }) => ({
    responseId: (await keepResponse(gateway, names, { 'x-no-cache': 'true' })).id,
  })),
  'POST /v1/videos': [
    order('project', 'an order of the project', ({ idempotencyKey }) => idempotencyKey),
    order('end-user', 'an order of an end user', ({ userIdempotencyKey }) => userIdempotencyKey),
  ],
  'GET /v1/videos': [
    {
      of: 'project',
      alsoOf: 'end-user',
      foreign: 200,
      known: 'projectId', // is in the links of the caller's own videos
      call: () => ({ path: '/v1/videos?limit=100' }),
    },
    {
      about: 'a place in the list',
      of: 'project',
      foreign: 200,
      call: ({ userVideoId }) => ({ path: `/v1/videos?after=${userVideoId}` }),
    },
  ],
  'GET /v1/videos/{id}': [video(), userVideo()],
  'DELETE /v1/videos/{id}': [
    {
      ...video(),
      renew: ({ gateway, names }) => keepVideo(gateway, names.apiKey),
    },
  ],
  'GET /v1/videos/{id}/content': [video('/content'), userVideo('/content')],
  'GET /v1/videos/logs/{log_id}/content': [
    { of: 'project', auth: 'caller', call: ({ logId }) => ({ path: `/v1/videos/logs/${logId}/content` }) },
  ],
  'POST /v1beta/models/{model}:{method}': [
    {
      of: 'organization',
      call: ({ model }) => ({
        path: `/v1beta/models/${model}:generateContent`,
        body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
      }),
    },
  ],
  'GET /v1beta/models': [
    { of: 'organization', foreign: 200, call: () => ({ path: '/v1beta/models?pageSize=1000' }) },
  ],
  'GET /v1beta/models/{model}': [
    { of: 'organization', reports: false, call: ({ model }) => ({ path: `/v1beta/models/${model}` }) },
  ],
  'POST /v1/images/edits': [
    namesModel(
      '/v1/images/edits',
      (model) => ({ model, prompt: 'a hat', images: [{ image_url: 'https://example.com/sloth.png' }] }),
      NO_MEDIUM,
    ),
  ],
  'POST /v1/audio/transcriptions': [
    namesModel('/v1/audio/transcriptions', (model) => createForm({ model }), NO_MEDIUM),
  ],
  'GET /v1/key': [{ of: 'key', foreign: 200, call: () => ({ path: '/v1/key' }) }],
  'POST /v1/session_tokens': [
    { of: 'key', foreign: 200, call: () => ({ path: '/v1/session_tokens', body: { limit: '1' } }) },
  ],
  'GET /v1/models': [{ of: 'organization', foreign: 200, call: () => ({ path: '/v1/models' }) }],
  'GET /v1/models/{model}': [
    { of: 'organization', reports: false, call: ({ model }) => ({ path: `/v1/models/${model}` }) },
  ],
  'GET /': [open('/')],
  'GET /livez': [open('/livez')],
  'GET /readyz': [open('/readyz')],
  'GET /metrics': [{ ...OF_ALL, own: 404, reports: false, call: () => ({ path: '/metrics' }) }],
  'GET /openapi.json': [open('/openapi.json')],
  'GET /dashboard': [{ ...open('/dashboard/'), own: dashboardStatus }],
  'GET /dashboard/assets/{file}': [{ ...open('/dashboard/assets/none.js'), own: 404 }],
  // Without auth.oidc.
  'GET /dashboard/login': [{ ...open('/dashboard/login'), own: 404 }],
  'GET /dashboard/callback': [{ ...open('/dashboard/callback?code=x&state=x'), own: 404 }],
  'GET /admin/v1/session': [open('/admin/v1/session')],
  'DELETE /admin/v1/session': [open('/admin/v1/session')],
  // Without the headers of a browser, whatever is sent.
  'POST /admin/v1/session': [
    { of: 'anyone', own: 403, call: () => ({ path: '/admin/v1/session', body: { link: 'x' } }) },
  ],
};

/** The calls of each route, by its name in OpenAPI. A route without a line fails the matrix. */
export const ISOLATION_LINES: Readonly<Record<string, readonly IsolationLine[]>> = {
  ...MEDIA_LINES,
  ...GATEWAY_LINES,
  ...ADMIN_LINES,
};

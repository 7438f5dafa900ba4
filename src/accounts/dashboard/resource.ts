import {
  choice,
  choiceList,
  filter,
  isTrue,
  nullableOutput,
  optional,
  outputText,
  required,
  time,
} from '#fields';
import type { AdminCaller } from '../admin-key.ts';
import { ADMIN_SCOPES } from '../admin-key.ts';
import { refuseBeyond } from '../admin-keys/resource.ts';
import { inOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { idOf, name } from '../resource/types.ts';
import {
  DASHBOARD_MINUTES,
  type DashboardSession,
  type DashboardStore,
  createDashboardStore,
} from './dashboard-store.ts';
import { SESSION_ROLES } from '../roles/session-role.ts';

const { define, operation } = resourceOf<{ directory: DashboardStore }, DashboardSession>();

const create = operation({
  summary: `Create a session of the dashboard with at most the rights of the calling admin key. Its secret is a one-time link: \`/dashboard/#link=<secret>\` within ${DASHBOARD_MINUTES.link} minutes.`,
  answer: 'The session with the secret of its link.',
  kind: 'secret',
  input: {
    label: required(name),
    scopes: optional(choiceList(ADMIN_SCOPES)),
    organizationId: optional(idOf('organization', 'the only organization it can access')),
  },
  example: { label: 'Ada', scopes: ['read'], organization_id: 'org_…' },
  run: async ({ directory, input, caller }) => {
    const { scopes = caller?.scopes ?? ['all'] } = input;
    if (caller) refuseBeyond(caller, scopes);
    const created = await directory.createDashboardSession({ ...input, scopes, ...inherit(caller) });
    return { ...created.session, secret: created.secret };
  },
});

/** The admin key or the member that the session ends with and cannot exceed. */
function inherit(
  caller: AdminCaller | undefined,
): Pick<Parameters<DashboardStore['createDashboardSession']>[0], 'adminKeyId' | 'holder'> {
  const { adminKeyId, heldBy, role } = caller ?? {};
  if (adminKeyId !== undefined) return { adminKeyId };
  return heldBy === undefined || role === undefined ? {} : { holder: { memberId: heldBy, role } };
}

export const dashboardSessionResource = define({
  name: 'dashboard_session',
  path: 'dashboard_sessions',
  scope: 'admin_keys',
  owner: ({ directory }, id) => directory.getDashboardSession(id),
  store: createDashboardStore,
  fields: {
    label: outputText(),
    scopes: choiceList(ADMIN_SCOPES),
    organizationId: nullableOutput(outputText(), 'The only organization it can access; null for all.'),
    adminKeyId: nullableOutput(outputText(), 'The admin key it was made with.'),
    role: nullableOutput(
      choice(SESSION_ROLES),
      'The role of the person who signed in by OpenID Connect, or of the member who created the link; null for a link of an operator and for an admin key.',
    ),
    memberId: nullableOutput(
      outputText(),
      'The member who signed in or created the link; the session ends when they are removed.',
    ),
    userAgent: nullableOutput(outputText()),
    createdAt: time,
    startedAt: nullableOutput(time, 'When its link was used.'),
    lastSeenAt: nullableOutput(time),
    expiresAt: time,
    endedAt: nullableOutput(time),
  },
  operations: {
    create,
    list: operation({
      summary: 'List sessions of the dashboard, newest first, without their secrets.',
      answer: 'A page of sessions.',
      kind: 'page',
      input: {
        organizationId: inOrganization('Only sessions that are bound to this organization.'),
        ended: filter(isTrue, '`true` to include ended sessions.', {
          flags: '--all',
          help: 'include ended sessions',
        }),
      },
      run: ({ directory, input, page }) => directory.listDashboardSessions({ ...input, ...page }),
    }),
    remove: operation({
      summary: 'End a session of the dashboard at once.',
      answer: 'The ended session.',
      kind: 'one',
      run: ({ directory, id }) => directory.endDashboardSession(id),
    }),
  },
  commands: {
    group: 'dashboard-sessions',
    summary: 'See and end sessions of the dashboard.',
    target: { flags: '<id>', help: 'the session’s id, as listed' },
    empty: 'no sessions of the dashboard',
    columns: {
      id: 'id',
      label: 'label',
      role: 'role',
      scopes: 'scopes',
      organization: ({ organizationId }) => organizationId ?? 'all',
      started: 'startedAt',
      'last seen': 'lastSeenAt',
      expires: 'expiresAt',
      ended: 'endedAt',
    },
    commands: [
      {
        name: 'list',
        operation: 'list',
        pageSize: 1_000,
        summary: 'List sessions of the dashboard, newest first.',
        examples: ['dashboard-sessions list', 'dashboard-sessions list --all'],
      },
      {
        name: 'end',
        operation: 'remove',
        summary: 'End a session of the dashboard at once.',
        examples: ['dashboard-sessions end dash_…'],
        format: ({ id }) => [`${id} has ended`],
      },
    ],
  },
});

import { GatewayError } from '#errors';
import {
  ADMIN_SCOPES,
  type AdminCaller,
  type AdminKeyBook,
  type AdminKeyRecord,
  hasScope,
} from '../admin-key.ts';
import { createAdminKeyBook } from './admin-key-book.ts';
import { sayOnce } from '../resource/describe.ts';
import { orNull } from '../resource/field-type.ts';
import { filter, maybe, needed, resourceOf } from '../resource/resource.ts';
import { flag, idOf, name, shown, texts, time, wordsOf } from '../resource/types.ts';

const { define, operation } = resourceOf<{ directory: AdminKeyBook }, AdminKeyRecord>();

const create = operation({
  summary:
    'Create an admin key with at most the scopes and the organization of the calling one. The response contains its secret, which is not shown again.',
  answer: 'The admin key with its secret.',
  kind: 'secret',
  input: {
    label: needed(name, {
      as: '--label <text>',
      help: 'what the key is for',
      fallback: { value: 'admin key' },
    }),
    scopes: maybe(texts(`an array of ${ADMIN_SCOPES.join(', ')}`), {
      as: '--scope <scopes...>',
      help: `what it may do: ${ADMIN_SCOPES.join(', ')} (default: all)`,
    }),
    organizationId: maybe(idOf('organization', 'the only organization it can access'), {
      as: '--org <id>',
      help: 'the only organization it can access (default: all)',
    }),
  },
  example: { label: 'dashboard', scopes: ['read'], organization_id: 'org_…' },
  run: async ({ directory, input, caller }) => {
    if (caller) refuseBeyond(caller, input.scopes);
    const { secret, key } = await directory.createAdminKey(input);
    return { ...key, secret };
  },
});

/** An admin key gives no scope that it does not have. */
function refuseBeyond(caller: AdminCaller, scopes: readonly string[] = ['all']): void {
  const beyond = scopes.find((scope) => !hasScope(caller.scopes, scope));
  if (beyond === undefined) return;
  throw new GatewayError('missing_scope', `this admin key lacks the scope ${beyond} and cannot give it`);
}

export const adminKeyResource = define({
  name: 'admin_key',
  path: 'admin_keys',
  scope: 'admin_keys',
  owner: ({ directory }, id) => directory.getAdminKey(id),
  book: createAdminKeyBook,
  fields: {
    label: shown(),
    masked: shown('`slcadm_…abcd`'),
    scopes: wordsOf(ADMIN_SCOPES),
    organizationId: orNull(shown(), 'The only organization it can access; null for all.'),
    disabled: flag(''),
    createdAt: time,
  },
  operations: {
    create,
    list: operation({
      summary: 'List admin keys, oldest first, without their secrets.',
      answer: 'A page of admin keys.',
      kind: 'page',
      input: {
        organizationId: filter(idOf('organization', ''), 'Only keys that are bound to this organization.', {
          as: '--org <id>',
          help: 'only keys that are bound to this organization',
        }),
      },
      run: ({ directory, input, page }) => directory.listAdminKeys({ ...input, ...page }),
    }),
    update: operation({
      summary: 'Disable or enable an admin key.',
      answer: 'The updated admin key.',
      kind: 'one',
      input: { disabled: needed(flag('true to disable the key at once, false to enable it')) },
      example: { disabled: true },
      run: ({ directory, id, input }) => directory.setAdminKeyDisabled(id, input.disabled),
    }),
  },
  commands: {
    group: 'admin-keys',
    summary: 'Create and manage keys of the administration API.',
    naming: { as: '<id>', help: 'the key’s id, as listed' },
    empty: 'no admin keys',
    columns: {
      id: 'id',
      key: 'masked',
      label: 'label',
      scopes: 'scopes',
      organization: ({ organizationId }) => organizationId ?? 'all',
      state: ({ disabled }) => (disabled ? 'disabled' : 'enabled'),
      created: 'createdAt',
    },
    commands: [
      {
        name: 'create',
        does: 'create',
        summary: 'Create an admin key. Its secret is shown only once.',
        examples: [
          'admin-keys create --label operator',
          'admin-keys create --label billing --scope money:write accounts:read',
          'admin-keys create --label "Acme’s own" --org org_…',
        ],
        says: sayOnce,
      },
      { name: 'list', does: 'list', summary: 'List admin keys.', examples: ['admin-keys list'] },
      {
        name: 'disable',
        does: 'update',
        sets: { disabled: true },
        summary: 'Disable an admin key at once.',
        examples: ['admin-keys disable adm_…'],
        says: ({ id }) => [`${id} is disabled`],
      },
      {
        name: 'enable',
        does: 'update',
        sets: { disabled: false },
        summary: 'Enable a disabled admin key.',
        examples: ['admin-keys enable adm_…'],
        says: ({ id }) => [`${id} is enabled`],
      },
    ],
  },
});

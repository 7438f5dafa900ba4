import { ADMIN_SCOPES, type AdminKeyBook, type AdminKeyRecord } from '../admin-key.ts';
import { sayOnce } from '../resource/describe.ts';
import { orNull } from '../resource/field-type.ts';
import { filter, maybe, needed, resourceOf } from '../resource/resource.ts';
import { flag, idOf, name, shown, texts, time, wordsOf } from '../resource/types.ts';

const { define, operation } = resourceOf<{ directory: AdminKeyBook }, AdminKeyRecord>();

const create = operation({
  summary:
    'Make an admin key with at most the scopes and the organization of the calling one; its text (`secret`) is shown in this answer and never again.',
  answer: 'The admin key with its text.',
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
    organizationId: maybe(idOf('organization', 'the one organization it is to see'), {
      as: '--org <id>',
      help: 'the one organization it sees (default: all)',
    }),
  },
  run: async ({ directory, input }) => {
    const { secret, key } = await directory.createAdminKey(input);
    return { ...key, secret };
  },
});

export const adminKeyResource = define({
  name: 'admin_key',
  path: 'admin_keys',
  scope: 'admin_keys',
  fields: {
    label: shown(),
    masked: shown('`slcadm_…abcd`'),
    scopes: wordsOf(ADMIN_SCOPES),
    organizationId: orNull(shown(), 'The one organization it sees; null: all.'),
    disabled: flag(''),
    createdAt: time,
  },
  operations: {
    create,
    list: operation({
      summary: 'List admin keys, oldest first, never with their text.',
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
      answer: 'The admin key as it is now.',
      kind: 'one',
      input: { disabled: needed(flag('true to disable the key at once, false to enable it')) },
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
        summary: 'Create an admin key; its text is shown this once.',
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

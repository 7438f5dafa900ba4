import { choiceList, flag, nullableOutput, optional, outputText, required, time } from '#fields';
import { GatewayError } from '#errors';
import { ADMIN_SCOPES, type AdminCaller, hasScope } from '../admin-key.ts';
import { type AdminKeyRecord, type AdminKeyStore, createAdminKeyStore } from './admin-key-store.ts';
import { formatSecret } from '../resource/describe.ts';
import { inOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { idOf, name } from '../resource/types.ts';

const { define, operation } = resourceOf<{ directory: AdminKeyStore }, AdminKeyRecord>();

const create = operation({
  summary:
    'Create an admin key with at most the scopes and the organization of the calling one. The response contains its secret, which is not shown again.',
  answer: 'The admin key with its secret.',
  kind: 'secret',
  input: {
    label: required(name, {
      flags: '--label <text>',
      help: 'what the key is for',
      fallback: { value: 'admin key' },
    }),
    scopes: optional(choiceList(ADMIN_SCOPES), {
      flags: '--scope <scopes...>',
      help: `its scopes: ${ADMIN_SCOPES.join(', ')} (default: all)`,
    }),
    organizationId: optional(idOf('organization', 'the only organization it can access'), {
      flags: '--org <id>',
      help: 'the only organization it can access (default: all)',
    }),
  },
  example: { label: 'dashboard', scopes: ['read'], organization_id: 'org_…' },
  run: async ({ directory, input, caller }) => {
    if (caller) refuseBeyond(caller, input.scopes);
    const { secret, key } = await directory.createAdminKey({ ...input, memberId: caller?.heldBy });
    return { ...key, secret };
  },
});

/** An admin key can neither grant nor restore a scope that it does not have. */
export function refuseBeyond(caller: AdminCaller, scopes: readonly string[] = ['all']): void {
  const beyond = scopes.find((scope) => !hasScope(caller.scopes, scope));
  if (beyond === undefined) return;
  throw new GatewayError('missing_scope', `this admin key lacks the scope ${beyond} and cannot grant it`);
}

export const adminKeyResource = define({
  name: 'admin_key',
  path: 'admin_keys',
  scope: 'admin_keys',
  owner: ({ directory }, id) => directory.getAdminKey(id),
  store: createAdminKeyStore,
  fields: {
    label: outputText(),
    masked: outputText('`slcadm_…abcd`'),
    scopes: choiceList(ADMIN_SCOPES),
    organizationId: nullableOutput(outputText(), 'The only organization it can access; null for all.'),
    memberId: nullableOutput(
      outputText(),
      'The member who created it while signed in. It is refused once they are no longer an administrator.',
    ),
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
        organizationId: inOrganization('Only keys that are bound to this organization.'),
      },
      run: ({ directory, input, page }) => directory.listAdminKeys({ ...input, ...page }),
    }),
    update: operation({
      summary: 'Disable or enable an admin key.',
      answer: 'The updated admin key.',
      kind: 'one',
      input: { disabled: required(flag('true to disable the key at once, false to enable it')) },
      example: { disabled: true },
      run: async ({ directory, id, input, caller }) => {
        if (caller && !input.disabled) refuseBeyond(caller, (await directory.getAdminKey(id)).scopes);
        return directory.setAdminKeyDisabled(id, input.disabled);
      },
    }),
  },
  commands: {
    group: 'admin-keys',
    summary: 'Create and manage keys of the administration API.',
    target: { flags: '<id>', help: 'the key’s id, as listed' },
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
        operation: 'create',
        summary: 'Create an admin key. Its secret is shown only once.',
        examples: [
          'admin-keys create --label operator',
          'admin-keys create --label billing --scope money:write accounts:read',
          'admin-keys create --label "Acme’s own" --org org_…',
        ],
        format: formatSecret,
      },
      { name: 'list', operation: 'list', summary: 'List admin keys.', examples: ['admin-keys list'] },
      {
        name: 'disable',
        operation: 'update',
        fixed: { disabled: true },
        summary: 'Disable an admin key at once.',
        examples: ['admin-keys disable adm_…'],
        format: ({ id }) => [`${id} is disabled`],
      },
      {
        name: 'enable',
        operation: 'update',
        fixed: { disabled: false },
        summary: 'Enable a disabled admin key.',
        examples: ['admin-keys enable adm_…'],
        format: ({ id }) => [`${id} is enabled`],
      },
    ],
  },
});

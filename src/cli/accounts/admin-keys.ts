import type { Command } from 'commander';
import type { AdminKeyRecord } from '#app';
import { ADMIN_SCOPES } from '#app';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable, formatTime } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createAdminKeysCommand(): Command {
  return defineGroup('admin-keys', 'Create and manage keys of the administration API.', [
    createCreate(),
    createList(),
    createSwitch('disable'),
    createSwitch('enable'),
  ]);
}

interface CreateOptions extends CommonOptions {
  label: string;
  scope?: string[];
  org?: string;
}

function createCreate(): Command {
  return defineCommand({
    name: 'create',
    summary: 'Create an admin key; its text is shown this once.',
    examples: [
      'admin-keys create --label operator',
      'admin-keys create --label billing --scope money:write accounts:read',
      'admin-keys create --label "Acme’s own" --org org_…',
    ],
  })
    .option('--label <text>', 'what the key is for', 'admin key')
    .option('--scope <scopes...>', `what it may do: ${ADMIN_SCOPES.join(', ')} (default: all)`)
    .option('--org <id>', 'the one organization it sees (default: all)')
    .action(async ({ label, scope, org, ...options }: CreateOptions) => {
      const { secret, key } = await withStores(options, ({ accounts }) =>
        accounts.directory.createAdminKey({
          label,
          ...(scope && { scopes: scope.flatMap((text) => text.split(',')) }),
          ...(org !== undefined && { organizationId: org }),
        }),
      );
      print(options, { adminKey: secret, ...toJsonAdminKey(key) }, () => [
        secret,
        `${key.id}, shown only this once`,
      ]);
    });
}

interface ListOptions extends CommonOptions {
  org?: string;
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List admin keys.',
    examples: ['admin-keys list'],
  })
    .option('--org <id>', 'only keys that are bound to this organization')
    .action(async (options: ListOptions) => {
      const { org } = options;
      const keys = await withStores(options, ({ accounts }) =>
        accounts.directory.listAdminKeys(org === undefined ? {} : { organizationId: org }),
      );
      print(options, { data: keys.map(toJsonAdminKey) }, () => formatAdminKeys(keys));
    });
}

function createSwitch(name: 'disable' | 'enable'): Command {
  const summary = name === 'disable' ? 'Disable an admin key at once.' : 'Enable a disabled admin key.';
  return defineCommand({ name, summary, examples: [`admin-keys ${name} adm_…`] })
    .argument('<id>', 'the key’s id, as listed')
    .action(async (id: string, options: CommonOptions) => {
      const disabled = name === 'disable';
      await withStores(options, ({ accounts }) => accounts.directory.setAdminKeyDisabled(id, disabled));
      print(options, { id, disabled }, () => [`${id} is ${name}d`]);
    });
}

function toJsonAdminKey({ id, label, masked, scopes, organizationId, disabled, createdAt }: AdminKeyRecord) {
  return {
    id,
    label,
    masked,
    scopes,
    organizationId: organizationId ?? null,
    disabled,
    createdAt: new Date(createdAt).toISOString(),
  };
}

function formatAdminKeys(keys: readonly AdminKeyRecord[]): string[] {
  if (keys.length === 0) return ['no admin keys'];
  return formatTable(
    ['id', 'key', 'label', 'scopes', 'organization', 'state', 'created'],
    keys.map((key) => [
      key.id,
      key.masked,
      key.label,
      key.scopes.join(' '),
      key.organizationId ?? 'all',
      key.disabled ? 'disabled' : 'enabled',
      formatTime(key.createdAt),
    ]),
  );
}

import { type Command, Option } from 'commander';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { toJsonKey } from './key-records.ts';
import { print } from '../terminal/output.ts';
import { readDuration, readEndOrNone } from '../terminal/read-time.ts';
import { formatTime } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

/** The commands for what becomes of a key after it was made. */
export function createKeyLifeCommands(): Command[] {
  return [createRotate(), createExpire(), createSwitch('disable'), createSwitch('enable'), createDelete()];
}

interface RotateOptions extends CommonOptions {
  grace: number;
  now?: boolean;
}

function createRotate(): Command {
  return defineCommand({
    name: 'rotate',
    summary:
      'Give a key a new secret, shown this once. The present secret opens for the grace; one that a rotation before left in its grace no longer does: a key has two secrets at most.',
    examples: ['keys rotate key_…', 'keys rotate key_… --grace 7d', 'keys rotate key_… --now'],
  })
    .addOption(
      new Option('--grace <time>', 'how long the present secret still opens, at most 90d')
        .argParser(readDuration)
        .default(86_400_000, '24h'),
    )
    .option('--now', 'the present secret no longer opens at all')
    .argument('<id>', 'the key’s id, as listed')
    .action(async (id: string, options: RotateOptions) => {
      const graceMs = options.now === true ? 0 : options.grace;
      const { secret, key } = await withStores(options, ({ accounts }) =>
        accounts.directory.rotateKey(id, { graceMs }),
      );
      const until = key.previousSecretExpiresAt;
      print(options, { apiKey: secret, ...toJsonKey(key) }, () => [
        secret,
        `${key.id}, shown only this once; the secret before ${
          until === undefined ? 'no longer opens' : `opens until ${formatTime(until)}`
        }`,
      ]);
    });
}

function createExpire(): Command {
  return defineCommand({
    name: 'expire',
    summary: 'Set when a key ends.',
    examples: ['keys expire key_… 30d', 'keys expire key_… 2027-01-31', 'keys expire key_… none'],
  })
    .argument('<id>', 'the key’s id, as listed')
    .argument('<when>', 'a day or a time to come (UTC), a length of time from now, or none', readEndOrNone)
    .action(async (id: string, when: number | null, options: CommonOptions) => {
      const key = await withStores(options, ({ accounts }) => accounts.directory.setKeyExpiry(id, when));
      print(options, toJsonKey(key), () => [
        key.expiresAt === undefined
          ? `${id} does not expire`
          : `${id} expires at ${formatTime(key.expiresAt)}`,
      ]);
    });
}

function createSwitch(name: 'disable' | 'enable'): Command {
  const summary = name === 'disable' ? 'Disable an API key at once.' : 'Enable a disabled API key.';
  return defineCommand({ name, summary, examples: [`keys ${name} key_…`] })
    .argument('<id>', 'the key’s id, as listed')
    .action(async (id: string, options: CommonOptions) => {
      await withStores(options, ({ accounts }) =>
        name === 'disable' ? accounts.directory.disableKey(id) : accounts.directory.enableKey(id),
      );
      print(options, { id, disabled: name === 'disable' }, () => [`${id} is ${name}d`]);
    });
}

function createDelete(): Command {
  return defineCommand({
    name: 'delete',
    summary: 'Delete an API key for good, and with it its session tokens; what it used stays in the books.',
    examples: ['keys delete key_…'],
  })
    .argument('<id>', 'the key’s id, as listed')
    .action(async (id: string, options: CommonOptions) => {
      await withStores(options, ({ accounts }) => accounts.directory.deleteKey(id));
      print(options, { id, deleted: true }, () => [`${id} is deleted`]);
    });
}

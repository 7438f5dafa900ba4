import { formatCount, toSnakeCaseMembers } from '#base';
import type { Command } from 'commander';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createSecretsCommand(): Command {
  return defineGroup('secrets', 'The encryption of stored credentials.', [createRotate()]);
}

function createRotate(): Command {
  return defineCommand({
    name: 'rotate',
    summary: 'Encrypt every stored provider key with a new key. Gateways keep running.',
    examples: ['secrets rotate'],
  }).action(async (options: CommonOptions) => {
    const rotation = await withStores(options, ({ accounts }) => accounts.rotateCredentials());
    if (rotation.unreadable.length > 0) process.exitCode = 1;
    print(options, toSnakeCaseMembers(rotation), () => [
      `encrypted with the key ${rotation.keyId}: ${formatCount(rotation.sealed, 'credential')}`,
      ...rotation.unreadable.map((id) => `${id} cannot be opened and was left as it is: enter its key again`),
    ]);
  });
}

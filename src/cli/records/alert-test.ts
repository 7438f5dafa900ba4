import type { Command } from 'commander';
import { AlertStore, loadSettings } from '#app';
import { systemClock } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';

const DAY_MS = 86_400_000;

export function createAlertTest(): Command {
  return defineCommand({
    name: 'test',
    summary: 'Send an alert of the type `test`: the running gateway delivers it.',
    examples: ['alerts test'],
  }).action(async (options: CommonOptions) => {
    // The gateway may have another configuration than this command, or variables that it lacks.
    const settings = await loadSettings(toOrigin(options)).catch(() => undefined);
    if (settings && !settings.alerts)
      remark('warning: no `alerts` are configured here; only a gateway that has them delivers one');
    const now = systemClock.now();
    const subject = `test/${now}`;
    await withStores(options, ({ database }) =>
      new AlertStore(database).add([
        { subject, type: 'test', data: { message: 'Alerts work.' }, expiresAt: new Date(now + DAY_MS) },
      ]),
    );
    print(options, { queued: true }, () => [
      'queued; `npx sluice alerts list` shows whether it was delivered',
    ]);
  });
}

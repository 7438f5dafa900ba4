import type { LogExports } from '#exports';
import type { Log } from '#telemetry';
import type { Stores } from './stores/stores.ts';
import { systemRandom, systemClock } from '#base';
import { createExports } from '#exports';
import { createNoticeSender, createRedactor, signAwsRequest } from '#providers';

/** Exports on the stores of a gateway, with connections of their own. */
export function composeExports({ database }: Pick<Stores, 'database'>, log: Log): LogExports {
  const sender = createNoticeSender();
  const exports = createExports({
    database,
    clock: systemClock,
    random: systemRandom,
    log,
    send: (request) => sender.upload(request),
    createRedactor,
    signAws: (request, options) => signAwsRequest(request, options),
  });
  return {
    ...exports,
    get progress() {
      return exports.progress;
    },
    close: async () => {
      const closed = exports.close();
      await sender.close(); // ends an upload in progress, which is repeated later
      await closed;
    },
  };
}

import type { HttpPorts, IssuerSettings } from '#http';
import type { Log } from '#telemetry';
import { isDeepStrictEqual } from 'node:util';
import { createIssuer } from '#http';

/** The issuer of the current configuration; what is known of it is kept while its settings stay the same. */
export interface LiveIssuer {
  current: HttpPorts['issuer'];
  replace(settings: IssuerSettings | undefined): void;
}

export function createLiveIssuer(settings: IssuerSettings | undefined, log: Log): LiveIssuer {
  const open = (wanted: IssuerSettings | undefined) =>
    wanted && createIssuer(wanted, (reason) => log.warn({ issuer: wanted.issuer, reason }, 'sign-in failed'));
  let current = open(settings);
  return {
    current: () => current,
    replace: (next) => {
      if (!isDeepStrictEqual(next, current?.settings)) current = open(next);
    },
  };
}

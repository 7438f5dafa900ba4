import type { SettingsFile } from './settings-schema.ts';
import type { Chooser } from './choose.ts';
import { parseNetwork } from '#accounts';

/** Addresses whose `X-Forwarded-For` is trusted; none by default. */
export function chooseProxies(
  { server }: SettingsFile,
  locate: (...path: string[]) => string,
  chooser: Chooser,
): readonly string[] {
  const source = locate('server', 'trustedProxies');
  for (const text of server?.trustedProxies ?? []) {
    if (parseNetwork(text)) continue;
    const message = `server.trustedProxies: "${text}" must be an address or a network such as 10.0.0.0/8`;
    chooser.problems.push({ place: source, message });
  }
  return chooser.choose<readonly string[]>(
    'server.trustedProxies',
    [{ value: server?.trustedProxies, source }],
    [],
  );
}

import { parseNetwork } from '#accounts';
import type { Settings } from '../settings.ts';
import { type SettingCandidate, type Chooser, readFlag, readPort, readVariable } from './choose.ts';
import { SettingsSection, type SettingsSources } from './section.ts';
import { countConnections } from '../descriptors.ts';
import { isLoopback } from '../loopback.ts';

const DEFAULT_PORT = 8787;
const ORCHESTRATED_DELAY_SECONDS = 5;

type Server = Pick<
  Settings,
  | 'host'
  | 'port'
  | 'publicBind'
  | 'reusePort'
  | 'hosts'
  | 'corsOrigins'
  | 'trustedProxies'
  | 'maxConnections'
  | 'readyDelayMs'
>;

/** Where to listen, and who can connect. */
export function chooseServer(sources: SettingsSources): Server {
  const { flags, environment, content, chooser } = sources;
  const server = new SettingsSection(sources, 'server', content.server);
  const host = server.choose('host', '127.0.0.1', [
    { value: flags.host, source: '--host' },
    readVariable(environment, 'SLUICE_HOST'),
  ]);
  const readAsPort = (candidate: SettingCandidate<string>): SettingCandidate<number> =>
    chooser.read(candidate, readPort, 'a port from 0 to 65535');
  const publicBind = server.choose('publicBind', false, [
    { value: flags.public, source: '--public' },
    chooser.read(readVariable(environment, 'SLUICE_PUBLIC_BIND'), readFlag, 'true or false'),
  ]);
  if (!isLoopback(host) && !publicBind) refusePublicHost(host, chooser);
  // Kubernetes sets this in every container, and keeps sending requests for some seconds.
  const isOrchestrated = environment['KUBERNETES_SERVICE_HOST'] !== undefined;
  const readyDelay = server.choose('readyDelaySeconds', isOrchestrated ? ORCHESTRATED_DELAY_SECONDS : 0);
  return {
    host,
    port: server.choose('port', DEFAULT_PORT, [
      readAsPort({ value: flags.port, source: '--port' }),
      readAsPort(readVariable(environment, 'SLUICE_PORT')),
    ]),
    publicBind,
    reusePort: server.choose('reusePort', false, [
      { value: flags.reusePort, source: '--reuse-port' },
      chooser.read(readVariable(environment, 'SLUICE_REUSE_PORT'), readFlag, 'true or false'),
    ]),
    hosts: server.choose('hosts', []),
    corsOrigins: server.choose('corsOrigins', []),
    trustedProxies: chooseProxies(server, chooser),
    maxConnections: server.choose('maxConnections', countConnections()),
    readyDelayMs: readyDelay * 1_000,
  };
}

function refusePublicHost(host: string, chooser: Chooser): void {
  chooser.problems.push({
    place: chooser.sources.get('server.host') ?? 'server.host',
    message:
      `${host} is not an address of this machine alone, such as 127.0.0.1 or localhost; if other machines ` +
      'are to reach it, start with --public, or set SLUICE_PUBLIC_BIND=true or server.publicBind: true',
  });
}

/** Addresses whose `X-Forwarded-For` is trusted; none by default. */
function chooseProxies(
  server: SettingsSection<NonNullable<SettingsSources['content']['server']>>,
  { problems }: Chooser,
): readonly string[] {
  const { value: proxies = [], source } = server.get('trustedProxies');
  for (const text of proxies) {
    if (parseNetwork(text)) continue;
    const message = `server.trustedProxies: "${text}" must be an address or a network such as 10.0.0.0/8`;
    problems.push({ place: source, message });
  }
  return server.choose('trustedProxies', []);
}

import type { Environment, Settings, SettingsFlags } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';
import { type Candidate, type Chooser, readFlag, readPort } from './choose.ts';
import { countConnections } from './descriptors.ts';
import { isLoopback } from './loopback.ts';

const DEFAULT_PORT = 8787;
const ORCHESTRATED_DELAY_SECONDS = 5;

interface Sources {
  flags: SettingsFlags;
  environment: Environment;
  content: SettingsFile;
  /** The place of a value in the file. */
  locate(...path: string[]): string;
}

type Server = Pick<Settings, 'host' | 'port' | 'publicBind' | 'hosts' | 'maxConnections' | 'readyDelayMs'>;

/** Where to listen, and who can connect. */
export function chooseServer(sources: Sources, chooser: Chooser): Server {
  const { flags, environment, content, locate } = sources;
  const server = content.server ?? {};
  const fromFile = <Name extends keyof typeof server>(
    name: Name,
  ): Candidate<NonNullable<(typeof server)[Name]>> => ({
    value: server[name] ?? undefined,
    source: locate('server', name),
  });
  const host = chooser.choose(
    'server.host',
    [
      { value: flags.host, source: '--host' },
      { value: environment['SLUICE_HOST'] || undefined, source: 'SLUICE_HOST' },
      fromFile('host'),
    ],
    '127.0.0.1',
  );
  const variable = { value: environment['SLUICE_PUBLIC_BIND'], source: 'SLUICE_PUBLIC_BIND' };
  const publicBind = chooser.choose(
    'server.publicBind',
    [
      { value: flags.public, source: '--public' },
      chooser.read(variable, readFlag, 'true or false'),
      fromFile('publicBind'),
    ],
    false,
  );
  if (!isLoopback(host) && !publicBind) refusePublicHost(host, chooser);
  const hosts = chooser.choose<readonly string[]>('server.hosts', [fromFile('hosts')], []);
  const maxConnections = chooser.choose(
    'server.maxConnections',
    [fromFile('maxConnections')],
    countConnections(),
  );
  // Kubernetes sets this in every container, and keeps sending requests for some seconds.
  const isOrchestrated = environment['KUBERNETES_SERVICE_HOST'] !== undefined;
  const readyDelay = chooser.choose(
    'server.readyDelaySeconds',
    [fromFile('readyDelaySeconds')],
    isOrchestrated ? ORCHESTRATED_DELAY_SECONDS : 0,
  );
  return {
    host,
    port: choosePort(sources, chooser),
    publicBind,
    hosts,
    maxConnections,
    readyDelayMs: readyDelay * 1_000,
  };
}

function choosePort({ flags, environment, content, locate }: Sources, chooser: Chooser): number {
  const read = (value: string | undefined, source: string): Candidate<number> =>
    chooser.read({ value, source }, readPort, 'a port from 0 to 65535');
  const candidates = [
    read(flags.port, '--port'),
    read(environment['SLUICE_PORT'], 'SLUICE_PORT'),
    { value: content.server?.port, source: locate('server', 'port') },
  ];
  return chooser.choose('server.port', candidates, DEFAULT_PORT);
}

function refusePublicHost(host: string, chooser: Chooser): void {
  chooser.problems.push({
    place: chooser.sources.get('server.host') ?? 'server.host',
    message:
      `${host} can be reached from other machines; if that is meant, start with --public, ` +
      'or set SLUICE_PUBLIC_BIND=true or server.publicBind: true',
  });
}

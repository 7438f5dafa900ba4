import type { Accounts } from '#accounts';
import type { SettingsOrigin } from '../settings/settings.ts';
import { toReachableUrl } from './announcement.ts';
import { findRunning } from './running.ts';
import { loadSettings } from '../settings/load-settings.ts';

/** A link that signs one browser in, once. */
interface DashboardLink {
  url: string;
  sessionId: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
}

interface LinkOptions {
  /** The gateway's address, as browsers reach it. */
  url: string;
  label: string;
  /** Every scope by default. */
  scopes?: readonly string[];
  /** All organizations by default. */
  organizationId?: string;
}

/** The secret is in the fragment, which browsers never send: no proxy or log sees it. */
export async function createDashboardLink(
  directory: Pick<Accounts['directory'], 'createDashboardSession'>,
  { url, ...rights }: LinkOptions,
): Promise<DashboardLink> {
  const { secret, session } = await directory.createDashboardSession(rights);
  return {
    url: `${url.replace(/\/+$/, '')}/dashboard/#link=${secret}`,
    sessionId: session.id,
    expiresAt: session.expiresAt,
  };
}

/** Where the gateway of this machine listens, or would, and whether it runs. */
export async function findGateway(origin: SettingsOrigin): Promise<{ url: string; isRunning: boolean }> {
  const settings = await loadSettings(origin, 'show');
  const running = findRunning(settings.dataDir);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return {
    url: running?.url ?? toReachableUrl(`http://${host}:${settings.port}`),
    isRunning: running !== undefined,
  };
}

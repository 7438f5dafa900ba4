import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import { ADMIN_SCOPES, createDashboardLink, findGateway } from '#app';
import { encodeTime, formatTime } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';
import { createUrlOption } from '../terminal/url-option.ts';

interface DashboardOptions extends CommonOptions {
  url?: string;
  label: string;
  scope?: string[];
  org?: string;
  open: boolean;
}

export function createDashboardCommand(): Command {
  return defineCommand({
    name: 'dashboard',
    summary: 'Open the dashboard with a new one-time link.',
    examples: ['dashboard', 'dashboard --no-open', 'dashboard --label Ada --scope read --org org_…'],
  })
    .addOption(createUrlOption())
    .option('--label <text>', 'who or what the link is for', 'command line')
    .option('--scope <scopes...>', `what it may do: ${ADMIN_SCOPES.join(', ')} (default: all)`)
    .option('--org <id>', 'the only organization it can access (default: all)')
    .option('--no-open', 'print the link and open no browser')
    .action(openDashboard);
}

async function openDashboard(options: DashboardOptions): Promise<void> {
  const { label, scope } = options;
  const gateway = await findGateway(toOrigin(options));
  const link = await withStores(options, ({ accounts }, { org }) =>
    createDashboardLink(accounts.directory, {
      url: options.url ?? gateway.url,
      label,
      ...(scope && { scopes: scope }),
      ...(org !== undefined && { organizationId: org }),
    }),
  );
  print(options, { url: link.url, expires_at: encodeTime(link.expiresAt) }, () => [link.url]);
  if (options.json === true) return;
  remark(`opens once, until ${formatTime(link.expiresAt)}; anyone with it can sign in`);
  if (!gateway.isRunning && options.url === undefined)
    remark('no gateway runs on this data directory; start one with: npx sluice start');
  if (options.open && process.stdout.isTTY) openBrowser(link.url);
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Best effort: the link is printed in any case. */
function openBrowser(url: string): void {
  const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? [];
  const opener = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
  opener.on('error', () => undefined);
  opener.unref();
}

import type { Settings } from '../settings/settings.ts';
import { relative, sep } from 'node:path';
import { formatFirst } from '#base';

/** What a started gateway prints about itself. */
export interface AnnouncementFacts {
  version: string;
  url: string;
  dataDir: string;
  /** Whether it was named by `--data-dir`: then other commands need it, too. */
  isDataDirFlag?: boolean;
  /** The keys created at the first start. */
  firstRun?: { apiKey: string; adminKey: string };
  /** Where the metrics are, if they are served. */
  metricsUrl?: string;
  /** A link that signs one browser in to the dashboard. */
  dashboardUrl?: string;
  /** Such as `openai (OPENAI_API_KEY)`. */
  providers: readonly string[];
  /** A model that can be called now. */
  model: string;
  /** The model Claude Code must be configured with, if its default models are not served. */
  claudeModel?: string;
}

const SHOWN_PROVIDERS = 8;

/** The lines for a terminal: at most 15, and with keys only at the first start. */
export function composeAnnouncement(facts: AnnouncementFacts): string[] {
  const { url, firstRun, model, claudeModel } = facts;
  const key = firstRun?.apiKey ?? '$SLUICE_API_KEY';
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  const place = facts.isDataDirFlag === true ? ` --data-dir '${facts.dataDir.replaceAll("'", `'\\''`)}'` : '';
  const chosen = claudeModel === undefined ? '' : ` ANTHROPIC_MODEL=${claudeModel}`;
  return [
    `Sluice ${facts.version} listens on ${url}`,
    '',
    ...(firstRun
      ? [
          `  API key    ${firstRun.apiKey}`,
          `  admin key  ${firstRun.adminKey}   (both are shown only this once)`,
        ]
      : [`  API key    shown at the first start only; npx sluice keys create${place} creates another`]),
    `  data       ${facts.dataDir}`,
    `  providers  ${describeProviders(facts.providers)}`,
    ...(facts.metricsUrl === undefined ? [] : [`  metrics    ${facts.metricsUrl}`]),
    ...(facts.dashboardUrl === undefined
      ? []
      : [`  dashboard  ${facts.dashboardUrl}   (opens once, for 10 minutes)`]),
    '',
    `curl ${url}/v1/chat/completions -H "authorization: Bearer ${key}" -H 'content-type: application/json' -d '${body}'`,
    '',
    'Claude Code:',
    `  export ANTHROPIC_BASE_URL=${url} ANTHROPIC_AUTH_TOKEN=${key}${chosen}`,
    `  npx sluice claude${place} --run`,
  ];
}

/** The one line for a log. */
export function composeShortAnnouncement({ version, url, metricsUrl }: AnnouncementFacts): string {
  const metrics = metricsUrl === undefined ? '' : `; metrics at ${metricsUrl}`;
  return `Sluice ${version} listens on ${url}${metrics}`;
}

function describeProviders(providers: readonly string[]): string {
  if (providers.length === 0) {
    return 'none: local/echo answers until OPENAI_API_KEY, ANTHROPIC_API_KEY, … is set';
  }
  return formatFirst(providers, SHOWN_PROVIDERS);
}

/** Every configured provider with the source of its key. */
export function listProviders(settings: Settings): string[] {
  const configured = settings.providers.map(({ id }) => id);
  return [...new Set([...configured, ...settings.credentials.keys()])].map((id) => {
    const source = settings.credentialSources.get(id);
    return `${id} (${source === undefined ? 'no key' : nameSource(source)})`;
  });
}

function nameSource(source: string): string {
  const path = source.replace(/:\d+:\d+$/, '');
  const near = relative(process.cwd(), path);
  return path.startsWith('/') && !near.startsWith(`..${sep}`) ? near : path;
}

/** An address that this machine can open: the loopback if the gateway listens on all interfaces. */
export function toReachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

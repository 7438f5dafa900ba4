import type { IssuerSettings } from '#http';
import type { Environment, Settings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';
import type { Chooser } from './choose.ts';

type OidcFile = NonNullable<NonNullable<SettingsFile['auth']>['oidc']>;
type AccessEntry = OidcFile['access'][number];

interface Sources {
  environment: Environment;
  content: SettingsFile;
  /** The place of a value in the file. */
  locate(...path: string[]): string;
}

const SECRET_VARIABLE = 'SLUICE_OIDC_CLIENT_SECRET';
const DEFAULT_SCOPES = ['openid', 'profile', 'email'];
const DEFAULT_HOURS = 24;
const MINUTES = 60;
const LOOPBACK = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?(\/|$)/;

/** Where people sign in to the dashboard; absent: with links and admin keys only. */
export function chooseAuth(sources: Sources, chooser: Chooser): Pick<Settings, 'oidc'> {
  const oidc = chooseOidc(sources, chooser);
  return oidc ? { oidc } : {};
}

function chooseOidc({ environment, content, locate }: Sources, chooser: Chooser): IssuerSettings | undefined {
  const oidc = content.auth?.oidc;
  if (!oidc) return undefined;
  const place = (name: string): string => locate('auth', 'oidc', name);
  const choose = <Name extends keyof OidcFile>(name: Name, fallback: NonNullable<OidcFile[Name]>) =>
    chooser.choose<NonNullable<OidcFile[Name]>>(
      `auth.oidc.${name}`,
      [{ value: oidc[name] ?? undefined, source: place(name) }],
      fallback,
    );
  const secret = chooser.find('auth.oidc.clientSecret', [
    { value: environment[SECRET_VARIABLE] || undefined, source: SECRET_VARIABLE },
    { value: oidc.clientSecret, source: place('clientSecret') },
  ]);
  const redirectUrl = chooser.find('auth.oidc.redirectUrl', [
    { value: oidc.redirectUrl, source: place('redirectUrl') },
  ]);
  for (const [name, url] of [
    ['issuer', oidc.issuer],
    ['redirectUrl', oidc.redirectUrl],
  ] as const)
    checkUrl(url, place(name), chooser);
  oidc.access.forEach((entry, index) =>
    checkAccess(entry, locate('auth', 'oidc', 'access', String(index)), chooser),
  );
  return {
    issuer: choose('issuer', ''),
    name: choose('name', readHost(oidc.issuer)),
    clientId: choose('clientId', ''),
    ...(secret !== undefined && { clientSecret: secret }),
    ...(redirectUrl !== undefined && { redirectUrl }),
    scopes: [...new Set(['openid', ...choose('scopes', DEFAULT_SCOPES)])],
    groupsClaim: choose('groupsClaim', 'groups'),
    sessionMinutes: choose('sessionHours', DEFAULT_HOURS) * MINUTES,
    access: choose('access', []),
  };
}

function readHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function checkUrl(url: string | undefined, place: string, { problems }: Chooser): void {
  if (url === undefined) return;
  if (!URL.canParse(url)) problems.push({ place, message: 'must be a URL' });
  else if (!url.startsWith('https://') && !LOOPBACK.test(url))
    problems.push({ place, message: 'must begin with https:// unless it is on this machine' });
}

function checkAccess(entry: AccessEntry, place: string, { problems }: Chooser): void {
  if ((entry.group ?? entry.domain ?? entry.email) === undefined)
    problems.push({ place, message: 'needs a group, a domain or an email: it would admit everybody' });
  if (entry.role === 'operator' && entry.organization !== undefined)
    problems.push({ place, message: 'an operator has all organizations; remove organization, or use admin' });
  if (entry.role !== 'operator' && entry.organization === undefined)
    problems.push({ place, message: `the role ${entry.role} needs an organization` });
}

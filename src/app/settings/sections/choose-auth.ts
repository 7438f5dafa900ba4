import type { IssuerSettings } from '#http';
import type { Settings } from '../settings.ts';
import type { SettingsFile } from '../schemas/settings-schema.ts';
import { type SettingCandidate, type Chooser, readVariable } from './choose.ts';
import { SettingsSection, type SettingsSources } from './section.ts';

type OidcFile = NonNullable<NonNullable<SettingsFile['auth']>['oidc']>;
type AccessEntry = OidcFile['access'][number];

const SECRET_VARIABLE = 'SLUICE_OIDC_CLIENT_SECRET';
const DEFAULT_SCOPES = ['openid', 'profile', 'email'];
const DEFAULT_HOURS = 24;
const MINUTES = 60;
const LOOPBACK = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?(\/|$)/;

/** Where people sign in to the dashboard; absent: with links and admin keys only. */
export function chooseAuth(sources: SettingsSources): Pick<Settings, 'oidc'> {
  const oidc = chooseOidc(sources);
  return oidc ? { oidc } : {};
}

function chooseOidc(sources: SettingsSources): IssuerSettings | undefined {
  const { environment, content, locate, chooser } = sources;
  const oidc = content.auth?.oidc;
  if (!oidc) return undefined;
  const section = new SettingsSection(sources, 'auth.oidc', oidc);
  const secret = section.find('clientSecret', [readVariable(environment, SECRET_VARIABLE)]);
  const redirectUrl = section.find('redirectUrl');
  for (const name of ['issuer', 'redirectUrl'] as const) checkUrl(section.get(name), chooser);
  oidc.access.forEach((entry, index) =>
    checkAccess(entry, locate('auth', 'oidc', 'access', String(index)), chooser),
  );
  return {
    issuer: section.choose('issuer', ''),
    name: section.choose('name', readHost(oidc.issuer)),
    clientId: section.choose('clientId', ''),
    ...(secret !== undefined && { clientSecret: secret }),
    ...(redirectUrl !== undefined && { redirectUrl }),
    scopes: [...new Set(['openid', ...section.choose('scopes', DEFAULT_SCOPES)])],
    groupsClaim: section.choose('groupsClaim', 'groups'),
    sessionMinutes: section.choose('sessionHours', DEFAULT_HOURS) * MINUTES,
    access: section.choose('access', []),
  };
}

function readHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function checkUrl({ value: url, source: place }: SettingCandidate<string>, { problems }: Chooser): void {
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

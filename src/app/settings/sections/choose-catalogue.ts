import type { AddressRules } from '#base';
import type { FeedSettings } from '../feed-settings.ts';
import type { SettingsSources } from './section.ts';
import { parseOutsideUrl } from '#base';
import { isPublicKey } from '#catalogue';

const HOUR_MS = 3_600_000;
const USUAL_REFRESH_HOURS = 6;
const USUAL_NOTICE_HOURS = 24;

/** Where the catalogue feed comes from; absent: there is none. */
export function chooseCatalogue(
  { content: { catalogue }, locate, chooser }: Pick<SettingsSources, 'content' | 'locate' | 'chooser'>,
  addresses: AddressRules,
): FeedSettings | undefined {
  if (!catalogue) return undefined;
  for (const name of Object.keys(catalogue))
    chooser.sources.set(`catalogue.${name}`, locate('catalogue', name));
  const { url, publicKey, refreshHours = USUAL_REFRESH_HOURS, noticeHours = USUAL_NOTICE_HOURS } = catalogue;
  const refuse = (name: string, expected: string): void =>
    void chooser.problems.push({
      place: locate('catalogue', name),
      message: `\`${name}\` must be ${expected}`,
    });
  const found = url === undefined ? undefined : parseOutsideUrl(url, addresses);
  if (found && !('url' in found))
    refuse('url', `${found.expected}, or of a host of \`customProviders.trustedHosts\``);
  if (!isPublicKey(publicKey))
    refuse('publicKey', 'ed25519: and 32 bytes in base64; `catalogue keygen` prints it');
  return {
    ...(url !== undefined && { url }),
    publicKey,
    refreshMs: refreshHours * HOUR_MS,
    noticeMs: noticeHours * HOUR_MS,
    addresses,
  };
}

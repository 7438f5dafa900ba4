import { parseNetwork } from '#accounts';
import { SettingsSection, type SettingsSources } from './section.ts';

/** Addresses whose `X-Forwarded-For` is trusted; none by default. */
export function chooseProxies(sources: SettingsSources): readonly string[] {
  const server = new SettingsSection(sources, 'server', sources.content.server);
  const { value: proxies = [], source } = server.get('trustedProxies');
  for (const text of proxies) {
    if (parseNetwork(text)) continue;
    const message = `server.trustedProxies: "${text}" must be an address or a network such as 10.0.0.0/8`;
    sources.chooser.problems.push({ place: source, message });
  }
  return server.choose('trustedProxies', []);
}

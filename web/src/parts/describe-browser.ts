const BROWSERS = [
  [/\bEdg\w*\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+).*Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** A browser and its system by name; another client by the first word of what it calls itself. */
export function describeBrowser(agent: string): string {
  const [browser] = BROWSERS.flatMap(([pattern, name]) => {
    const [found, version] = pattern.exec(agent) ?? [];
    return found === undefined ? [] : [`${name} ${version}`];
  });
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser === undefined) return agent.split(' ')[0] ?? agent;
  return system === undefined ? browser : `${browser} on ${system}`;
}

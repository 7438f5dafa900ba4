import type { ExportSettings } from './export-settings.ts';

/** Segments of a path that look like a token rather than a name. */
const TOKEN = /^(?=.*\d)(?=.*[A-Za-z]).{16,}$/;

/** The secrets in an export's settings. Addresses have some, too, in their query and path. */
export function listSecrets(settings: ExportSettings): string[] {
  switch (settings.type) {
    case 'file':
      return [];
    case 'http': {
      const { url, secret, headers } = settings;
      const values = Object.values(headers).flatMap((value) => [value, ...value.split(' ')]);
      return [...values, ...ofAddress(url), ...ofOne(secret)];
    }
    case 's3': {
      const { secretAccessKey, sessionToken } = settings.keys;
      return [secretAccessKey, ...ofOne(sessionToken)];
    }
    case 'clickhouse':
      return [...ofOne(settings.password), ...ofAddress(settings.url)];
  }
}

const ofOne = (secret: string | undefined): string[] => (secret === undefined ? [] : [secret]);

function ofAddress(address: string): string[] {
  const { pathname, searchParams } = new URL(address);
  return [...searchParams.values(), ...pathname.split('/').filter((segment) => TOKEN.test(segment))];
}

import type { DashboardFile } from '#http';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '#base';

const FOLDER = fileURLToPath(new URL('web/dist/', packageRoot));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

let known: ReadonlyMap<string, DashboardFile> | undefined;

/** The built dashboard, read once; undefined if there is none. */
export function readDashboardFiles(): ReadonlyMap<string, DashboardFile> | undefined {
  return (known ??= readFiles());
}

function readFiles(): ReadonlyMap<string, DashboardFile> | undefined {
  let names: string[];
  try {
    names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll('\\', '/'),
    );
  } catch {
    return undefined; // not built
  }
  const compressed = (name: string, suffix: string): Buffer | undefined =>
    names.includes(name + suffix) ? readFileSync(join(FOLDER, name + suffix)) : undefined;
  const files = new Map<string, DashboardFile>();
  for (const name of names) {
    const contentType = TYPES[extname(name)];
    if (contentType === undefined) continue;
    const [gzip, brotli] = [compressed(name, '.gz'), compressed(name, '.br')];
    files.set(name, {
      contentType,
      bytes: readFileSync(join(FOLDER, name)),
      isHashed: name.startsWith('assets/'),
      ...(gzip && { gzip }),
      ...(brotli && { brotli }),
    });
  }
  return files.has('index.html') ? files : undefined;
}

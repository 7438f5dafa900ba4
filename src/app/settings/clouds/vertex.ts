import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseJsonObject } from '#base';
import { type CloudConnection, type CloudSources, choose, createConnection } from './cloud-connection.ts';

const MISSING = 'a project: google.project or the environment variable GOOGLE_VERTEX_PROJECT';
const PROJECTS = ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'];
const LOCATIONS = ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'];

/** Vertex is called in a project and a location, as a Google identity; express mode needs a key and neither. */
export function readVertex(sources: CloudSources): CloudConnection {
  const { entry, environment, workingDirectory } = sources;
  const google = entry?.google ?? {};
  const file = choose(google.credentials, environment, ['GOOGLE_APPLICATION_CREDENTIALS']);
  const credentials = file && readCredentials(file.value, workingDirectory);
  const key = choose(entry?.apiKey, google.credentials ? {} : environment, ['GOOGLE_VERTEX_API_KEY']);
  const project = choose(google.project ?? findProject(credentials), environment, PROJECTS)?.value;
  return createConnection({
    baseUrl: composeAddress(sources, project, key !== undefined),
    missing: MISSING,
    key,
    proof: file,
    access: { google: credentials === undefined ? {} : { credentials } },
  });
}

function composeAddress(
  { entry, environment }: CloudSources,
  project: string | undefined,
  isKeyed: boolean,
): string | undefined {
  const location = choose(entry?.google?.location, environment, LOCATIONS)?.value ?? 'global';
  const host = entry?.baseUrl ?? `https://${toHost(location)}/v1`;
  if (host.includes('/projects/') || (isKeyed && project === undefined)) return host;
  return project && `${host}/projects/${project}/locations/${location}`;
}

function toHost(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com';
  const isContinent = location === 'us' || location === 'eu';
  return isContinent ? `aiplatform.${location}.rep.googleapis.com` : `${location}-aiplatform.googleapis.com`;
}

/** An unreadable file yields an empty text, which the first request refuses by name. */
function readCredentials(given: string, workingDirectory: string): string {
  if (given.trimStart().startsWith('{')) return given;
  try {
    return readFileSync(resolve(workingDirectory, given), 'utf8');
  } catch {
    return '';
  }
}

function findProject(credentials: string | undefined): string | undefined {
  const project = parseJsonObject(credentials ?? '')?.['project_id'];
  return typeof project === 'string' ? project : undefined;
}

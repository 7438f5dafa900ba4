import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Layer, readRule } from '#accounts';
import { formatUsd, parseUsd } from '#base';
import { GatewayError } from '#errors';
import { Compile } from 'typebox/compile';
import { LineCounter, parseDocument } from 'yaml';
import { describeFault } from '../settings/describe-fault.ts';
import { placeProblem } from '../settings/fill-variables.ts';
import { findOffset } from '../settings/settings-file.ts';
import { SettingsError, type SettingsProblem } from '../settings/settings-problem.ts';
import {
  type DesiredKey,
  type DesiredOrganization,
  type DesiredProject,
  type Manifest,
  type ManifestKey,
  type ManifestOrganization,
  type ManifestProject,
  type ManifestRule,
  NONE,
  manifestSchema,
} from './manifest.ts';

const validator = Compile(manifestSchema);

/** Reads a manifest, or every `.yaml`, `.yml` and `.json` of a folder. Throws SettingsError naming all that is wrong. */
export async function readManifest(path: string): Promise<DesiredOrganization[]> {
  const files = await listFiles(path);
  const parsed = await Promise.all(
    files.map(async (file) => parseManifest(basename(file), await readFile(file, 'utf8'))),
  );
  const problems = parsed.flatMap((each) => each.problems);
  if (problems.length > 0) throw new SettingsError(problems);
  return parsed.flatMap(({ organizations }) => organizations);
}

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Error(`there is no ${path}`);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).toSorted();
  if (names.length === 0) throw new Error(`${path} holds no .yaml, .yml or .json file`);
  return names.map((name) => join(path, name));
}

/** What one file says, in one spelling, or what is wrong with it. */
interface ParsedManifest {
  organizations: DesiredOrganization[];
  problems: SettingsProblem[];
}

type Path = readonly (string | number)[];

/** The text of one file; its name tells where a problem is. */
export function parseManifest(name: string, text: string): ParsedManifest {
  const source = { name, lines: new LineCounter() };
  const document = parseDocument(text, { lineCounter: source.lines, prettyErrors: false });
  const place = (offset: number, message: string): SettingsProblem =>
    placeProblem(source, { offset, message });
  const [broken] = document.errors;
  if (broken) return { organizations: [], problems: [place(broken.pos[0], broken.message)] };
  const value: unknown = document.toJS() ?? {};
  if (!validator.Check(value)) {
    const problems = validator.Errors(value).flatMap((fault) => {
      const described = describeFault(manifestSchema, fault);
      return described
        ? [place(findOffset(document, described.path, described.atKey), described.message)]
        : [];
    });
    return { organizations: [], problems };
  }
  const reader = new Reader((path, message) => place(findOffset(document, path, false), message));
  const organizations = reader.readAll(value);
  return { organizations, problems: reader.problems };
}

/** Brings a manifest that has the right form into one spelling, and notes what its form does not tell. */
class Reader {
  readonly problems: SettingsProblem[] = [];
  readonly #locate: (path: Path, message: string) => SettingsProblem;

  constructor(locate: (path: Path, message: string) => SettingsProblem) {
    this.#locate = locate;
  }

  readAll({ organizations }: Manifest): DesiredOrganization[] {
    return organizations.map((organization, index) =>
      this.#readOrganization(organization, ['organizations', index]),
    );
  }

  #readOrganization(organization: ManifestOrganization, path: Path): DesiredOrganization {
    const { rules, projects = [], ...rest } = organization;
    this.#refuseNameless(organization.id ?? organization.name, 'name', path);
    if (organization.overflow !== undefined && organization.plan === NONE)
      this.#note([...path, 'overflow'], 'overflow belongs to a plan, and plan is none');
    return {
      ...rest,
      place: this.#place(path),
      ...this.#readRules('organization', rules, path),
      projects: projects.map((project, index) => this.#readProject(project, [...path, 'projects', index])),
    };
  }

  #readProject(project: ManifestProject, path: Path): DesiredProject {
    const { rules, keys = [], ...rest } = project;
    this.#refuseNameless(project.id ?? project.name, 'name', path);
    const ttl = project.cacheTtlSeconds ?? 0;
    if (ttl > 0 && ttl < 10)
      this.#note([...path, 'cacheTtlSeconds'], 'cacheTtlSeconds must be 10 to 31536000, or 0 for no cache');
    return {
      ...rest,
      place: this.#place(path),
      ...this.#readRules('project', rules, path),
      keys: keys.map((key, index) => this.#readKey(key, [...path, 'keys', index])),
    };
  }

  #readKey(key: ManifestKey, path: Path): DesiredKey {
    const { rules, limit, recurringLimit, expiresAt, ...rest } = key;
    this.#refuseNameless(key.id ?? key.label, 'label', path);
    const desired: DesiredKey = {
      ...rest,
      place: this.#place(path),
      ...this.#readRules('key', rules, path),
    };
    if (limit !== undefined) desired.limit = toOneAmount(limit);
    if (recurringLimit !== undefined) {
      const [amount = '', period] = recurringLimit.split('/');
      desired.recurringLimit = period === undefined ? NONE : `${toOneAmount(amount)}/${period}`;
    }
    if (expiresAt !== undefined) desired.expiresAt = this.#readMoment(expiresAt, [...path, 'expiresAt']);
    return desired;
  }

  #readMoment(text: string, path: Path): string {
    if (text === NONE) return NONE;
    const moment = new Date(text);
    const isReal = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text.slice(0, 10));
    if (isReal) return moment.toISOString();
    this.#note(path, 'expiresAt is no day of the calendar or no time of the day');
    return NONE;
  }

  #readRules(layer: Layer, rules: ManifestOrganization['rules'], path: Path): { rules?: ManifestRule[] } {
    if (!rules) return {};
    return {
      rules: rules.flatMap(({ type, values = [] }, index) => {
        try {
          return [{ type, values: readRule({ layer, type, values }) }];
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          this.#note([...path, 'rules', index], error.message);
          return [];
        }
      }),
    };
  }

  #refuseNameless(given: string | undefined, member: string, path: Path): void {
    if (given === undefined) this.#note(path, `"${member}" or "id" is missing`);
  }

  #note(path: Path, message: string): void {
    this.problems.push(this.#locate(path, message));
  }

  #place(path: Path): string {
    return this.#locate(path, '').place;
  }
}

/** 25.00 as 25. */
function toOneAmount(text: string): string {
  const amount = parseUsd(text);
  return amount === undefined ? text : formatUsd(amount);
}

import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FileValues } from '#accounts';
import { fitsSchema } from '#base';
import { GatewayError } from '#errors';
import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { LineCounter } from 'yaml';
import { describeFault } from '../settings/file/describe-fault.ts';
import { placeProblem } from '../settings/file/fill-variables.ts';
import { parseYaml } from '../settings/file/parse-yaml.ts';
import { findOffset } from '../settings/file/settings-file.ts';
import { SettingsError, type SettingsProblem } from '../settings/settings-problem.ts';
import type { DeclaredEntry } from './entry.ts';
import { type EntryKind, ORGANIZATIONS } from './entry-kind.ts';

const id = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }));
const VISIBLE = '[^\\s\\x00-\\x1f\\x7f-\\x9f]';
const PRINTABLE = '[^\\x00-\\x1f\\x7f-\\x9f]';
const name = Type.Optional(
  Type.String({
    pattern: `^${VISIBLE}(${PRINTABLE}*${VISIBLE})?$`,
    maxLength: 200,
    description: 'a name of 1 to 200 characters without control characters or spaces around it.',
  }),
);

/** The form of an entry. */
function createSchema(kind: EntryKind): TSchema {
  const fields = kind.sections.flatMap((section) =>
    section.fields.map(({ name: field, spelling: { schema, write } }): [string, TSchema] => {
      const isNeeded = kind.name === undefined && write(undefined) === undefined;
      return [field, isNeeded ? schema : Type.Optional(schema)];
    }),
  );
  const lists = kind.contents.map((content): [string, TSchema] => [
    content.list,
    Type.Optional(Type.Array(createSchema(content))),
  ]);
  const members = { ...(kind.name !== undefined && { id, [kind.name]: name }) };
  return Type.Object(
    { ...members, ...Object.fromEntries<TSchema>([...fields, ...lists]) },
    { additionalProperties: false },
  );
}

const manifestSchema = Type.Object(
  { [ORGANIZATIONS.list]: Type.Array(createSchema(ORGANIZATIONS)) },
  { additionalProperties: false },
);

/** Reads a manifest, or every `.yaml`, `.yml` and `.json` of a folder. Throws SettingsError naming every problem. */
export async function readManifest(path: string): Promise<DeclaredEntry[]> {
  const files = await listFiles(path);
  const parsed = await Promise.all(
    files.map(async (file) => parseManifest(basename(file), await readFile(file, 'utf8'))),
  );
  const problems = parsed.flatMap((each) => each.problems);
  if (problems.length > 0) throw new SettingsError(problems);
  return parsed.flatMap(({ entries }) => entries);
}

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Error(`there is no file or folder ${path}`);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((each) => /\.(ya?ml|json)$/.test(each)).toSorted();
  if (names.length === 0) throw new Error(`${path} contains no .yaml, .yml or .json file`);
  return names.map((each) => join(path, each));
}

/** The organizations of one file, or what is wrong with it. */
interface ParsedManifest {
  entries: DeclaredEntry[];
  problems: SettingsProblem[];
}

type Path = readonly (string | number)[];
type WrittenMembers = { readonly [member: string]: unknown };

/** Parses the text of one file; `file` is its name in problems. */
export function parseManifest(file: string, text: string): ParsedManifest {
  const source = { name: file, lines: new LineCounter() };
  const { document, problem } = parseYaml(text, source.lines);
  const place = (offset: number, message: string): SettingsProblem =>
    placeProblem(source, { offset, message });
  if (problem) return { entries: [], problems: [place(problem.offset, problem.message)] };
  const value: unknown = document.toJS() ?? {};
  if (!fitsSchema(manifestSchema, value)) {
    const problems = Value.Errors(manifestSchema, value).flatMap((fault) => {
      const described = describeFault(manifestSchema, fault);
      return described
        ? [place(findOffset(document, described.path, described.atKey), described.message)]
        : [];
    });
    return { entries: [], problems };
  }
  const reader = new Reader((path, message) => place(findOffset(document, path, false), message));
  const entries = reader.readList(ORGANIZATIONS, value, { path: [], within: '' });
  return { entries: entries ?? [], problems: reader.problems };
}

/** Reads well-formed entries, with values in their canonical spelling, and notes faults that a schema cannot express. */
class Reader {
  readonly problems: SettingsProblem[] = [];
  readonly #locate: (path: Path, message: string) => SettingsProblem;

  constructor(locate: (path: Path, message: string) => SettingsProblem) {
    this.#locate = locate;
  }

  readList(
    kind: EntryKind,
    owner: WrittenMembers,
    { path, within }: { path: Path; within: string },
  ): DeclaredEntry[] | undefined {
    const list = owner[kind.list] as readonly WrittenMembers[] | undefined;
    return list?.map((given, index) =>
      this.#readEntry(kind, given, { path: [...path, kind.list, index], within }),
    );
  }

  #readEntry(
    kind: EntryKind,
    given: WrittenMembers,
    { path, within }: { path: Path; within: string },
  ): DeclaredEntry {
    const own = kind.name === undefined ? undefined : given[kind.name];
    if (kind.name !== undefined && own === undefined && given['id'] === undefined)
      this.#addProblem(path, `"${kind.name}" or "id" is missing`);
    const lists = kind.contents.flatMap((content) => {
      const entries = this.readList(content, given, { path, within: kind.resource.name });
      return entries ? [[content.list, entries] as const] : [];
    });
    return {
      id: given['id'] as string | undefined,
      name: own as string | undefined,
      values: this.#readValues(kind, given, { path, within }),
      lists: Object.fromEntries(lists),
      locate: (field) => this.#locate(field === undefined ? path : [...path, field], '').place,
    };
  }

  #readValues(
    kind: EntryKind,
    given: WrittenMembers,
    { path, within }: { path: Path; within: string },
  ): FileValues {
    const values: FileValues = {};
    for (const { name: field, spelling } of kind.sections.flatMap(({ fields }) => fields)) {
      const written = given[field] ?? (kind.name === undefined ? spelling.write(undefined) : undefined);
      if (written === undefined) continue;
      try {
        values[field] = spelling.write(spelling.read(written));
      } catch (error) {
        this.#addProblem([...path, field], `${field} ${(error as Error).message}`);
      }
    }
    try {
      return kind.manifest.check?.(values, within) ?? values;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.#addProblem(path, error.message);
      return values;
    }
  }

  #addProblem(path: Path, message: string): void {
    this.problems.push(this.#locate(path, message));
  }
}

import type { TSchema } from 'typebox';
import type { JsonObject, JsonValue } from '#base';
import { type SchemaFault, notesOf } from './schema-notes.ts';

// Generated code that names the members it reads takes a quarter of the time of a loop over names.

/** The keywords that are checked. */
export interface CheckedSchema extends TSchema {
  type?: string;
  const?: string;
  anyOf?: CheckedSchema[];
  items?: CheckedSchema;
  properties?: Record<string, CheckedSchema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
  maxItems?: number;
}

export type ValueCheck = (value: JsonValue | undefined) => SchemaFault | undefined;

export type ObjectCheck = (owner: JsonObject) => SchemaFault | undefined;

/** A checked member of an object. */
export interface Member {
  name: string;
  alias: string;
  isRequired: boolean;
  check: ValueCheck;
  /** A condition on the value `v` under which the check surely accepts it. */
  guard: string;
}

/** Checks the members of an object in order. */
export function generateMembers(
  members: readonly Member[],
  within: (step: string, fault: SchemaFault) => SchemaFault,
): ObjectCheck {
  const lines = members.map(({ name, alias, isRequired, guard }, at) => {
    const [word, other] = [JSON.stringify(name), JSON.stringify(alias)];
    const isValid = isRequired ? guard : `v === undefined || ${guard}`;
    return `v = owner[${word}]; ${alias === name ? '' : `if (v === undefined) v = owner[${other}];`}
      if (!(${isValid}) && (f = c${at}(v)) !== undefined) return rest(${word}, f);`;
  });
  const checks = members.map(({ check }) => check);
  return generate(`let v, f; ${lines.join('\n')}`, checks, within);
}

/** Checks an object by the value of the member that tells alternatives apart. */
export function generateSwitch(
  member: string,
  cases: readonly { words: readonly string[]; check: ValueCheck }[],
  other: ValueCheck,
): ObjectCheck {
  const lines = cases.flatMap(({ words }, at) =>
    words.map((word) => `case ${JSON.stringify(word)}: return c${at}(owner);`),
  );
  const checks = cases.map(({ check }) => check);
  return generate(
    `switch (owner[${JSON.stringify(member)}]) { ${lines.join('\n')} default: return rest(owner); }`,
    checks,
    other,
  );
}

/** `c0`, `c1` … are the checks. */
function generate(code: string, checks: readonly ValueCheck[], rest: unknown): ObjectCheck {
  const names = checks.map((_, at) => `c${at}`).join(', ');
  const create = new Function('checks', 'rest', `const [${names}] = checks; return (owner) => { ${code} };`);
  return (create as (checks: readonly ValueCheck[], rest: unknown) => ObjectCheck)(checks, rest);
}

/** A condition on `v` under which a schema surely accepts it. */
export function writeGuard(schema: CheckedSchema): string {
  const { rule, like } = notesOf(schema);
  if (rule || like) return 'false';
  if (schema.anyOf) return schema.anyOf.map(writeGuard).join(' || ');
  if (schema.const !== undefined) return `v === ${JSON.stringify(schema.const)}`;
  switch (schema.type) {
    case 'string':
      return schema.minLength === undefined ? "typeof v === 'string'" : "(typeof v === 'string' && v !== '')";
    case 'boolean':
      return "typeof v === 'boolean'";
    case 'null':
      return 'v === null';
    default:
      return 'false';
  }
}

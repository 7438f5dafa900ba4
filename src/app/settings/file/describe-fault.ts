import { findClosest } from '../closest.ts';

/** A validation error of typebox. */
export interface SettingFault {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: Readonly<Record<string, unknown>>;
  message: string;
}

interface DescribedFault {
  path: (string | number)[];
  /** Whether the key rather than its value is invalid. */
  atKey: boolean;
  message: string;
}

/** A validation error in words for the person who edits the file; undefined if another error covers it. */
export function describeFault(schema: object, fault: SettingFault): DescribedFault | undefined {
  const path = toPath(fault.instancePath);
  switch (fault.keyword) {
    case 'additionalProperties':
      return undefined; // reported once per key by `boolean`
    case 'boolean':
      return { path, atKey: true, message: describeUnknownKey(schema, fault, String(path.at(-1))) };
    case 'required':
      return { path, atKey: false, message: `${join(path)}${listMissing(fault)} is missing` };
    case 'type':
      return { path, atKey: false, message: `${join(path)}${describeType(fault)}` };
    case 'enum':
      return { path, atKey: false, message: `${join(path)}must be one of ${listAllowed(fault)}` };
    case 'pattern':
      return { path, atKey: false, message: `${join(path)}${describePattern(schema, fault)}` };
    default:
      return { path, atKey: false, message: `${join(path)}${fault.message}` };
  }
}

function toPath(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key.replaceAll('~1', '/').replaceAll('~0', '~')));
}

function join(path: readonly (string | number)[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return text === '' ? '' : `${text.replace(/^\./, '')} `;
}

function describeUnknownKey(schema: object, fault: SettingFault, key: string): string {
  const around = resolve(schema, fault.schemaPath.replace(/\/additionalProperties$/, ''));
  const known = Object.keys(around?.['properties'] ?? {});
  const [closest] = findClosest(key, known);
  if (closest !== undefined) return `unknown key "${key}"; did you mean "${closest}"?`;
  return `unknown key "${key}"; known are ${known.join(', ')}`;
}

/** The part of a schema that a path such as `#/properties/server` names. */
function resolve(schema: object, pointer: string): Record<string, unknown> | undefined {
  let node: unknown = schema;
  for (const key of pointer.split('/').slice(1)) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return typeof node === 'object' && node !== null ? (node as Record<string, unknown>) : undefined;
}

function listMissing({ params }: SettingFault): string {
  const names = Array.isArray(params['requiredProperties']) ? params['requiredProperties'] : [];
  return names.map((name) => `"${String(name)}"`).join(' and ');
}

function listAllowed({ params }: SettingFault): string {
  return Array.isArray(params['allowedValues']) ? params['allowedValues'].map(String).join(', ') : '';
}

function describeType({ params }: SettingFault): string {
  const wanted = String(params['type']);
  if (wanted === 'string') return 'must be text; write it in quotes';
  const words: Record<string, string> = {
    'string,number': 'text or a number',
    array: 'a list',
    object: 'a map',
    integer: 'a whole number',
    boolean: 'true or false',
  };
  return `must be ${words[wanted] ?? wanted}`;
}

function describePattern(schema: object, fault: SettingFault): string {
  const description = resolve(schema, fault.schemaPath)?.['description'];
  return typeof description === 'string' ? `is malformed: ${description}` : fault.message;
}

import { closedObject, type FieldType } from '#fields';
import { createInvalid } from '#errors';
import { findFault } from '#base';
import { type TSchema, Type } from 'typebox';
import type { ColumnAssignment } from '../change-row.ts';
import { CHOICE_MEMBERS, FALLBACK_MODELS, type RoutingChange, type RoutingChoice } from './routing-choice.ts';

const MEMBERS = { ...CHOICE_MEMBERS, fallback_models: FALLBACK_MODELS };

const descriptionOf = (schema: TSchema): string => String((schema as { description?: string }).description);

/** Completes “must be …”. */
export const describeMember = (name: string): string =>
  name in MEMBERS ? descriptionOf(MEMBERS[name as keyof typeof MEMBERS]) : 'absent';

/** The schema of a whole choice, as files and responses have it. */
export const routingChoiceSchema = closedObject(
  Object.fromEntries(Object.entries(MEMBERS).map(([name, schema]) => [name, Type.Optional(schema)])),
);

/** A change of the routing of a project or key: `null` removes a member, absent ones do not change. */
export const routing: FieldType<RoutingChange> = {
  valueKind: 'routing',
  isNullable: true,
  input: closedObject(
    Object.fromEntries(
      Object.entries(MEMBERS).map(([name, schema]) => [
        name,
        Type.Optional(
          Type.Union([schema, Type.Null()], { description: `${descriptionOf(schema)}, or null` }),
        ),
      ]),
    ),
  ),
  answer: Type.Object(
    Object.fromEntries(Object.entries(MEMBERS).map(([name, schema]) => [name, Type.Optional(schema)])),
    { title: 'Routing', description: 'How providers are chosen: docs/routing.md.' },
  ),
  decode: (json) => json as RoutingChange,
  encode: (value) => ({ ...value }),
};

/** The names of the members. */
export const ROUTING_MEMBERS = Object.keys(MEMBERS) as readonly (keyof RoutingChoice)[];

/** Changes the stored routing of a row. */
export function assignRouting(change: RoutingChange): ColumnAssignment {
  refuseMalformed(change);
  return [
    `routing = NULLIF(jsonb_strip_nulls(COALESCE(routing, '{}') || $::jsonb), '{}')`,
    JSON.stringify(change),
  ];
}

/** Also for the command line, whose values no schema has checked. */
function refuseMalformed(change: RoutingChange): void {
  const fault = findFault(routing.input, change);
  if (!fault) return;
  const [member = ''] = fault.path;
  throw createInvalid(['routing', ...fault.path].join('.'), describeMember(member));
}

import { type Static, Type } from 'typebox';
import { MOST_LIMIT, PERIODS, PLAN_TIERS } from '#accounts';

/** What a limit, a plan or an end is called where there is none. */
export const NONE = 'none';

const strict = { additionalProperties: false };
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
const count = Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_LIMIT }));
const usd = '\\d{1,15}(\\.\\d{1,12})?';

const rateLimits = Type.Optional(
  Type.Object({ requestsPerMinute: count, tokensPerMinute: count, concurrency: count }, strict),
);

const ruleSchema = Type.Object(
  {
    type: Type.String({ minLength: 1 }),
    values: Type.Optional(Type.Array(Type.String())),
  },
  strict,
);
const rules = Type.Optional(Type.Array(ruleSchema));

const keySchema = Type.Object(
  {
    id,
    label: name,
    member: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    limit: Type.Optional(
      Type.String({ pattern: `^(${NONE}|${usd})$`, description: 'USD such as "25", or none.' }),
    ),
    recurringLimit: Type.Optional(
      Type.String({
        pattern: `^(${NONE}|${usd}/(${PERIODS.join('|')}))$`,
        description: `USD per period (${PERIODS.join(', ')}) such as 5/day, or none.`,
      }),
    ),
    rateLimits,
    expiresAt: Type.Optional(
      Type.String({
        pattern: `^(${NONE}|\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z)?)$`,
        description: 'a moment in UTC such as 2027-01-31 or 2027-01-31T12:00:00Z, or none.',
      }),
    ),
    disabled: Type.Optional(Type.Boolean()),
    rules,
  },
  strict,
);

const projectSchema = Type.Object(
  {
    id,
    name,
    cacheTtlSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 31_536_000 })),
    payloadDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 400 })),
    rules,
    keys: Type.Optional(Type.Array(keySchema)),
  },
  strict,
);

const organizationSchema = Type.Object(
  {
    id,
    name,
    plan: Type.Optional(Type.Enum([...PLAN_TIERS, NONE])),
    overflow: Type.Optional(Type.Boolean()),
    rateLimits,
    rules,
    projects: Type.Optional(Type.Array(projectSchema)),
  },
  strict,
);

/** The form of a file that `apply` takes and `export` writes. */
export const manifestSchema = Type.Object({ organizations: Type.Array(organizationSchema) }, strict);

/** Organizations, projects and keys as a file says them; what a member names is exactly so, what is absent is left alone. */
export type Manifest = Static<typeof manifestSchema>;
export type ManifestOrganization = Static<typeof organizationSchema>;
export type ManifestProject = Static<typeof projectSchema>;
export type ManifestKey = Static<typeof keySchema>;
export type ManifestRule = Required<Static<typeof ruleSchema>>;

/** A thing of a file with where it stands there. */
type Placed<Thing> = Omit<Thing, 'rules'> & { place: string; rules?: ManifestRule[] };

/** What a key shall be. */
export type DesiredKey = Placed<ManifestKey>;

/** What a project shall be. */
export type DesiredProject = Omit<Placed<ManifestProject>, 'keys'> & { keys: DesiredKey[] };

/** What an organization shall be. */
export type DesiredOrganization = Omit<Placed<ManifestOrganization>, 'projects'> & {
  projects: DesiredProject[];
};

/** What is set of a key: every member, in the words of the file. */
export type KeySettings = Required<Omit<ManifestKey, 'id' | 'label' | 'member' | 'rules'>>;
type ProjectSettings = Required<Omit<ManifestProject, 'id' | 'name' | 'rules' | 'keys'>>;
export type OrganizationSettings = Required<Omit<ManifestOrganization, 'id' | 'name' | 'rules' | 'projects'>>;

/** A rule that is in force. */
export interface ActualRule extends ManifestRule {
  id: string;
}

/** A key as it is. */
export interface ActualKey extends KeySettings {
  id: string;
  label: string;
  member?: string;
  rules: ActualRule[];
}

/** A project as it is. */
export interface ActualProject extends ProjectSettings {
  id: string;
  name: string;
  rules: ActualRule[];
  keys: ActualKey[];
}

/** An organization as it is. */
export interface ActualOrganization extends OrganizationSettings {
  id: string;
  name: string;
  rules: ActualRule[];
  projects: ActualProject[];
}

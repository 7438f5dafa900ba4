/** A page of a list in order of creation. */
export interface Page {
  /** The id of the last item of the previous page. */
  after?: string;
  limit?: number;
  /** Only items whose name contains this text, in any case. */
  search?: string;
}

export type Filters = Readonly<Record<string, unknown>>;

export interface ListSpec {
  /** A statement that ends with its `WHERE` clause. */
  select: string;
  /** The parameters of `select`. */
  values?: readonly unknown[];
  /** Values by the left side of their condition, such as `k.project_id =`; an undefined value is not a condition. */
  filters?: Filters;
  /** The listed table with its alias, joined with those that filters name. */
  table: string;
  alias: string;
  /** What `after` must match, too; by default the filters. */
  startFilters?: Filters;
  /** What `search` is looked for in. */
  searched?: string;
  isNewestFirst?: boolean;
  /** A column with one value in the list. The order begins with it, so that only an index which does so, too, is used. */
  within?: string;
}

/**
 * The statement that selects a page of a table, or all of it, by time of creation. It is empty after an id that is not in the
 * list: where it would begin otherwise would show when a record of another organization was created.
 */
export function composeList(
  {
    select,
    values: given = [],
    filters = {},
    table,
    alias,
    startFilters = filters,
    searched,
    isNewestFirst = false,
    within,
  }: ListSpec,
  { after, limit, search }: Page,
): { text: string; values: unknown[] } {
  const values = [...given];
  const found =
    searched === undefined || search === undefined ? {} : { [`${searched} ILIKE`]: toPattern(search) };
  const conditions = addConditions(values, { ...filters, ...found });
  const [comparison, direction] = isNewestFirst ? ['<', 'DESC'] : ['>', 'ASC'];
  const position = `${alias}.created_at, ${alias}.id`;
  const compose = (id: string): string => {
    const own = addConditions(values, startFilters);
    return ` AND (${position}) ${comparison} (SELECT ${position} FROM ${table} WHERE ${alias}.id = $${values.push(id)}${own})`;
  };
  const start = after === undefined ? '' : compose(after);
  const first = within === undefined ? '' : `${alias}.${within}, `;
  const order = ` ORDER BY ${first}${alias}.created_at ${direction}, ${alias}.id ${direction}`;
  const end = limit === undefined ? '' : ` LIMIT $${values.push(limit)}`;
  return { text: `${select}${conditions}${start}${order}${end}`, values };
}

/** The pattern of texts that contain this one. */
const toPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** The conditions of the filters that are set, each after ` AND `; adds their values to the parameters. */
export function addConditions(values: unknown[], filters: Filters): string {
  return Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([left, value]) => ` AND ${left} $${values.push(value)}`)
    .join('');
}

import {
  type ObjectType,
  type OutputType,
  encodeList,
  createListSchema,
  flag,
  listOf,
  named,
  objectOf,
} from '#fields';

/** A page of a list. */
export interface Page<Row> {
  rows: readonly Row[];
  hasMore: boolean;
}

/** The first `limit` rows; one more is read, to know whether more follow. */
export async function readPage<Row>(
  limit: number,
  read: (limit: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const found = await read(limit + 1);
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}

/** A page of a list by offset. */
export const pageOf = <Row>(row: OutputType<Row>): ObjectType<Page<Row>> =>
  objectOf<Page<Row>>()({ rows: named('data', listOf(row)), hasMore: flag('') }, { name: 'list' });

/** A page of a list; its `last_id` leads to the next one. */
export const idPageOf = <Row>(row: ObjectType<Row>): ObjectType<Page<Row>> => ({
  valueKind: 'object',
  answer: createListSchema(row.answer),
  encode: ({ rows, hasMore }, isOperator) => ({
    ...encodeList(
      rows.map((one) => row.encode(one, isOperator)),
      rows.length,
    ),
    has_more: hasMore,
  }),
});

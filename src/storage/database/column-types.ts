import pg from 'pg';

type TextParser = (text: string) => unknown;

const { INT8 } = pg.types.builtins;
const INT8_ARRAY = 1016;
const TEXT_ARRAY = 1009;

const getDefaultParser = pg.types.getTypeParser as (id: number, format?: 'text' | 'binary') => TextParser;
const parseTextArray = getDefaultParser(TEXT_ARRAY) as (text: string) => (string | null)[];

const PARSERS = new Map<number, TextParser>([
  [INT8, BigInt],
  [INT8_ARRAY, (text) => parseTextArray(text).map((item) => (item === null ? null : BigInt(item)))],
]);

/**
 * Column types: `int8` (and `count(*)`) as bigint, `numeric` (and `sum` of int8) as exact decimal text, everything else
 * as in the driver.
 */
export const columnTypes = {
  getTypeParser: (id: number, format?: 'text' | 'binary'): TextParser =>
    (format === 'binary' ? undefined : PARSERS.get(id)) ?? getDefaultParser(id, format),
};

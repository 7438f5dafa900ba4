interface Row {
  id: string;
  started_at: string;
}

interface Page<R extends Row> {
  data: R[];
  has_more: boolean;
  last_id: string | null;
}

/** A page that grows for hours is cut: what is beyond is loaded again by scrolling. */
const MOST_ROWS = 500;

const isNewer = (a: Row, b: Row): number =>
  a.started_at === b.started_at ? (a.id < b.id ? 1 : -1) : a.started_at < b.started_at ? 1 : -1;

/** The newest page with rows that have ended since: in their order, a corrected one in the place of the first. */
export function insertRows<R extends Row, P extends Page<R>>(page: P, rows: readonly R[]): P {
  const ids = new Set(rows.map(({ id }) => id));
  const all = [...rows, ...page.data.filter(({ id }) => !ids.has(id))].sort(isNewer);
  const end = all.findIndex(({ id }) => id === page.last_id);
  // What started before the last row is of a later page.
  const fitting = page.has_more && end !== -1 ? all.slice(0, end + 1) : all;
  const data = fitting.slice(0, MOST_ROWS);
  return {
    ...page,
    data,
    has_more: page.has_more || data.length < fitting.length,
    last_id: data.at(-1)?.id ?? null,
  };
}

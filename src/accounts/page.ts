/** A page of a list in order of creation. */
export interface Page {
  /** The id of the last item of the previous page. */
  after?: string;
  limit?: number;
}

/** The final values of a paged statement: the id, and the limit (`null`: all). */
export function toPageValues({ after, limit }: Page): [string | null, number | null] {
  return [after ?? null, limit ?? null];
}

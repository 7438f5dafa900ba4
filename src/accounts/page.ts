/** A part of a list in the order in which things were made: what comes after one of them. */
export interface Page {
  /** The id of the last one that was seen. */
  after?: string;
  limit?: number;
}

/** The values of a statement that ends in a page: the id, and the limit (`null`: all). */
export function toPageValues({ after, limit }: Page): [string | null, number | null] {
  return [after ?? null, limit ?? null];
}

import type { JsonObject } from '#base';

/** What a request is with a field, and what it is without where that is not the base request alone. */
type Sample = readonly [withField: JsonObject, without?: JsonObject];

/** A sample for each row of a client's table. */
export type Samples = Readonly<Record<string, Sample>>;

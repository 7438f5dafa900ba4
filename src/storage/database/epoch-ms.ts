/** The SQL of a moment as milliseconds since the Unix epoch, which the driver reads as a number. */
export const epochMs = (moment: string): string => `round(extract(epoch FROM ${moment}) * 1000)::float8`;

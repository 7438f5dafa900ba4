/** Faults that change nothing anybody could notice, as `showDifference` writes them, each with why. */
export const EQUIVALENTS: readonly { path: string; before: string; after: string; reason: string }[] = [];

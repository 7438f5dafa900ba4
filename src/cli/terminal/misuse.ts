/** A command line that no installation could run: options that exclude each other, or one that is missing. */
export class Misuse extends Error {}

import type ts from 'typescript';

/** What a file of `src/` does although it must not. */
export interface Breach {
  node: ts.Node;
  message: string;
}

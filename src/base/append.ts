/** Adds what may be more than a call takes arguments: each one that is spread takes a place on the stack. */
export function append<Value>(list: Value[], more: readonly Value[]): Value[] {
  for (const one of more) list.push(one);
  return list;
}

/** Appends a list of any size. Spreading it into `push` can overflow the stack. */
export function append<Value>(list: Value[], more: readonly Value[]): Value[] {
  for (const one of more) list.push(one);
  return list;
}

/** The object itself if it has none of the members, else a copy without them. */
export function without<Owner extends object>(owner: Owner, names: ReadonlySet<keyof Owner & string>): Owner {
  const removed: ReadonlySet<string> = names;
  for (const name of names) {
    if (owner[name] === undefined) continue;
    return Object.fromEntries(Object.entries(owner).filter(([own]) => !removed.has(own))) as Owner;
  }
  return owner;
}

/** The items that pass; the list itself if all do, so that nothing is copied where nothing is left out. */
export function select<Item>(list: readonly Item[], passes: (item: Item) => boolean): readonly Item[] {
  return list.every(passes) ? list : list.filter(passes);
}

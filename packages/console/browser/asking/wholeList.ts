/** Reads all parts of a list. Each part contains the cursor of the next part; the last part's cursor is null. */
export const wholeList = async <A>(
  part: (cursor: number | undefined) => Promise<{ readonly items: ReadonlyArray<A>; readonly next: number | null }>
): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for (let cursor: number | undefined;;) {
    const { items, next } = await part(cursor)
    all.push(...items)
    if (next === null) return all
    cursor = next
  }
}

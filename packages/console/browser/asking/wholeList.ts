/** All of a list that the service gives part by part: each part names where the next begins, the last one null. */
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

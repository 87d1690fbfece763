export const readAllPages = async <A>(
  readPage: (cursor: number | undefined) => Promise<{ readonly items: ReadonlyArray<A>; readonly next: number | null }>
): Promise<ReadonlyArray<A>> => {
  const collected: Array<A> = []
  for (let cursor: number | undefined;;) {
    const { items, next } = await readPage(cursor)
    collected.push(...items)
    if (next === null) return collected
    cursor = next
  }
}

/** Where a task that watches a position's stop, or else its entry, is begun. */
export const watchHref = (
  { coin, entry, side, stop }: {
    readonly coin: string
    readonly side: "long" | "short"
    readonly entry: number | null
    readonly stop: number | null
  }
): string => {
  const level = stop ?? entry
  const query = new URLSearchParams({
    new: "watch",
    symbol: coin,
    op: side === "long" ? "cross_below" : "cross_above",
    ...(level === null ? {} : { value: String(level) })
  })
  return `/tasks?${query.toString()}`
}

/** Where a task is shown, with what it rang. */
export const taskHref = (id: number): string => `/tasks/${id}`

/**
 * Returns the path of the form for a new task that watches a position. The task watches the stop, or the entry price if
 * the position has no stop.
 */
export const newWatchHref = (
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

export const taskHref = (id: number): string => `/tasks/${id}`

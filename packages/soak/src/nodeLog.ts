/**
 * The messages that Effect's cluster logs when the database becomes unavailable, and when the database is available
 * again.
 */
const lockMessages = {
  unhealthy: "Shard lock storage is unhealthy",
  recovered: "Shard lock storage has recovered"
} as const

/** Creates a reader of a node's log, which consists of JSON lines. The reader counts errors by message in `errors`. */
export const makeLogReader = (errors: Map<string, number>) => {
  let hasReleased = false
  let incompleteLine = ""
  return {
    append: (text: string): void => {
      const lines = (incompleteLine + text).split("\n")
      incompleteLine = lines.pop() ?? ""
      for (const line of lines) {
        const message = /"message":"([^"]{0,120})/.exec(line)?.[1] ?? line.slice(0, 120)
        if (message === lockMessages.unhealthy) hasReleased = true
        else if (message === lockMessages.recovered) hasReleased = false
        else if (/"level":"?ERROR/i.test(line)) errors.set(message, (errors.get(message) ?? 0) + 1)
      }
    },
    hasReleasedShards: (): boolean => hasReleased
  }
}

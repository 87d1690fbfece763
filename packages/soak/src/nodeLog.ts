/**
 * Messages of Effect's cluster. It logs the first as an error if the database was unreachable for over a third of a
 * lock's time, as in a soak. It logs the second after recovery.
 */
const lockMessages = {
  unhealthy: "Shard lock storage is unhealthy",
  recovered: "Shard lock storage has recovered"
} as const

/** Reads the JSON log lines of one run of a node, in pieces of any size. Counts errors into `errors` by message. */
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
    /** Whether the cluster has released its shards and not recovered since. */
    hasReleasedShards: (): boolean => hasReleased
  }
}

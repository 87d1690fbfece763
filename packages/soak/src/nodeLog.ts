/**
 * What effect's cluster says, as an error, of a database that was away for longer than a third of a lock's time, which
 * is what a soak does to it; and what it says once it has the database again.
 */
const ofLocks = { away: "Shard lock storage is unhealthy", back: "Shard lock storage has recovered" } as const

/**
 * Reads what one run of a node logs, in lines of JSON, however they are cut into pieces, and counts the errors into
 * `errors`, by message.
 */
export const readLog = (errors: Map<string, number>) => {
  let away = false
  let rest = ""
  return {
    take: (text: string): void => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const message = /"message":"([^"]{0,120})/.exec(line)?.[1] ?? line.slice(0, 120)
        if (message === ofLocks.away) away = true
        else if (message === ofLocks.back) away = false
        else if (/"level":"?ERROR/i.test(line)) errors.set(message, (errors.get(message) ?? 0) + 1)
      }
    },
    /** Whether the cluster has let go of its shards, and has not said since that it may take some again. */
    letGo: (): boolean => away
  }
}

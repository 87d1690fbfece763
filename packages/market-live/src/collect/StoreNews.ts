import { Effect } from "effect"

/** Failures within this time of the last one are not logged again. */
const quietMs = 60_000

/**
 * Logs that the database does not accept collected data or does not respond. Logs once per outage, however many
 * collectors notice it.
 */
export class StoreNews {
  #failedAt = -Infinity

  failed(now: number, what: string, reason: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const isNews = Math.abs(now - this.#failedAt) > quietMs
      this.#failedAt = now
      if (!isNews) return Effect.void
      return Effect.logWarning(`the database failed while ${what}; collecting goes on by itself: ${reason}`)
    })
  }
}

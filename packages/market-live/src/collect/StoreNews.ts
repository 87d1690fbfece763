import { Effect } from "effect"

/** Who goes on failing within this tells nothing new. */
const quietMs = 60_000

/**
 * Tells the log when the database does not take what is collected, or does not tell what it has: once for as long as
 * that goes on, however many find it.
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

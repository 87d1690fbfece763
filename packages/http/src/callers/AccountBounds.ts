import { RateLimited } from "@tapeline/core"
import { Clock, Context, Effect } from "effect"
import type { AdmittedWindow } from "../exchange.ts"
import { Attempts } from "./Attempts.ts"

/** Limits of a signed-in user, per process. */
export const AccountBounds = Context.Reference<{
  /**
   * The rate limit of one session for requests to its account, and separately for reads that are free. The limit is per
   * session, so that one session cannot lock out the account's others.
   */
  readonly requestsPerMinute: number
  /**
   * Maximum number of keys that an account issues per day. The store keeps all keys, also revoked ones, because usage
   * reports contain their names.
   */
  readonly keysPerDay: number
}>("@tapeline/http/AccountBounds", { defaultValue: () => ({ requestsPerMinute: 120, keysPerDay: 50 }) })

/** Maximum number of events that one counter remembers. */
const inAll = 100_000

/**
 * Counts the requests of each session. Admits requests within the rate limit, and returns the state of the rate-limit
 * window.
 */
export const sessionCeiling: Effect.Effect<(session: number) => Effect.Effect<AdmittedWindow, RateLimited>> = Effect
  .map(
    AccountBounds,
    ({ requestsPerMinute: limit }) => {
      const requests = new Attempts({ perAddress: limit, inAll, window: "1 minute" })
      return (session) =>
        Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
          const made = requests.make(String(session), now)
          return "waitMs" in made
            ? Effect.fail(new RateLimited({ limit, resetMs: made.waitMs }))
            : Effect.succeed({ allowed: true, limit, remaining: made.left, resetMs: made.resetMs })
        })
    }
  )

/** Counts the keys that each account issues in a day; `keysPerDay` is the maximum. */
export const issuedKeys = (keysPerDay: number): Attempts =>
  new Attempts({ perAddress: keysPerDay, inAll, window: "1 day" })

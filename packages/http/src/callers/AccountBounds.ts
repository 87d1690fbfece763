import { RateLimited } from "@tapeline/core"
import { Clock, Context, Effect } from "effect"
import type { AdmittedWindow } from "../exchange.ts"
import { Attempts } from "./Attempts.ts"

/** What who is signed in may do with the account, in each process. */
export const AccountBounds = Context.Reference<{
  /**
   * Requests about the account of one session, and as many that read what costs nothing, so that none keeps the
   * account's others out.
   */
  readonly requestsPerMinute: number
  /** Keys that an account issues. Each stays in the store, revoked ones too: usage is told by their names. */
  readonly keysPerDay: number
}>("@tapeline/http/AccountBounds", { defaultValue: () => ({ requestsPerMinute: 120, keysPerDay: 50 }) })

/** So many are remembered at once, of whatever is counted. */
const inAll = 100_000

/** Counts requests by session, lets in as many as may be, and tells how its minute stands. */
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

/** The keys that accounts issue in a day, where `keysPerDay` are the most of each. */
export const issuedKeys = (keysPerDay: number): Attempts =>
  new Attempts({ perAddress: keysPerDay, inAll, window: "1 day" })

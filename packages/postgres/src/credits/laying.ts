import type { StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { Aside } from "../connection/SideSessions.ts"
import type { Statements } from "./statements.ts"

/** Maximum number of accounts to whose months one statement applies a plan. */
const layBatch = 1_000

/**
 * How often, and after which pause, a plan is applied again to months that were held. The housekeeping does the rest.
 */
const layAgain = { times: 10, afterMs: 200 } as const

type Laid = Effect.Effect<boolean, StoreUnavailable>

/** Applies the monthly credits of plans to the open months of their accounts. */
export const laying = ({ aside, one }: Statements) => {
  /** Applies a plan to the open months of its accounts. Returns true if no month was skipped. */
  const layPlan = (plan: string, at: string | null, by: Aside["run"], after = "0"): Laid =>
    Effect.flatMap(
      one<{ last: string | null; missed: boolean }>(
        "select last::text, missed from credit_lay_plan($1, $2, $3, $4)",
        [plan, after, layBatch, at],
        by
      ),
      ([row]) =>
        row!.last === null
          ? Effect.succeed(true)
          : Effect.map(layPlan(plan, at, by, row!.last), (rest) => rest && !row!.missed)
    )

  /** Applies all changed plans to open months. Returns true if no month was skipped. */
  const layPlans = Effect.fnUntraced(function*(at: string | null, by: Aside["run"]) {
    let all = true
    const changed = yield* one<{ name: string; version: string }>(
      "select name, version::text from plans where not laid order by name",
      [],
      by
    )
    for (const { name, version } of changed) {
      if (yield* layPlan(name, at, by)) {
        // Does nothing if the plan was changed again meanwhile, even back to its earlier value.
        yield* one("update plans set laid = true where name = $1 and version = $2", [name, version], by)
      } else all = false
    }
    return all
  })

  const layUntilAll = (at: string | null, times: number): Effect.Effect<void, StoreUnavailable> =>
    Effect.flatMap(layPlans(at, aside.start), (all) =>
      all || times === 0
        ? Effect.void
        : Effect.andThen(Effect.sleep(layAgain.afterMs), layUntilAll(at, times - 1)))

  return {
    /** Runs once, for the housekeeping. */
    once: (at: string | null): Effect.Effect<void, StoreUnavailable> => Effect.asVoid(layPlans(at, aside.run)),
    /** Runs at a start. Retries for a while if months were held. */
    atStart: (at: string | null): Effect.Effect<void, StoreUnavailable> => layUntilAll(at, layAgain.times)
  }
}

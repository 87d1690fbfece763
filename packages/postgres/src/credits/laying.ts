import type { StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { Aside } from "../connection/SideSessions.ts"
import type { Statements } from "./statements.ts"

/** Accounts over whose months a plan is laid in one statement. */
const layBatch = 1_000

/** How often, and how soon again, a plan is laid over what somebody held; the rest is left to the housekeeping. */
const layAgain = { times: 10, afterMs: 200 } as const

type Laid = Effect.Effect<boolean, StoreUnavailable>

/** Laying of what plans allot over their accounts' open months. */
export const laying = ({ aside, one }: Statements) => {
  /** Lays a plan over its accounts' open months; true when none was missed. */
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

  /** Lays what changed of the plans over open months; true when all of it was. */
  const layPlans = Effect.fnUntraced(function*(at: string | null, by: Aside["run"]) {
    let all = true
    const changed = yield* one<{ name: string; version: string }>(
      "select name, version::text from plans where not laid order by name",
      [],
      by
    )
    for (const { name, version } of changed) {
      if (yield* layPlan(name, at, by)) {
        // Unless it was changed again meanwhile, be it back to what it was.
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
    /** As the housekeeping does. */
    once: (at: string | null): Effect.Effect<void, StoreUnavailable> => Effect.asVoid(layPlans(at, aside.run)),
    /** As a start does: again, for a while, where somebody held a month. */
    atStart: (at: string | null): Effect.Effect<void, StoreUnavailable> => layUntilAll(at, layAgain.times)
  }
}

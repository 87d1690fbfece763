import type { StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { BackgroundPool } from "../connection/sessions.ts"
import type { Statements } from "./statements.ts"

/** The maximum number of accounts whose monthly credits one statement updates. */
const maxAccounts = 1_000

const retryPolicy = { times: 10, pauseMs: 200 } as const

type ApplyEffect = Effect.Effect<boolean, StoreUnavailable>

/**
 * Creates the operations that apply changed plans. A changed plan updates the monthly credits of its accounts in all
 * months that have not ended.
 */
export const makePlanApplication = ({ backgroundPool, queryRows }: Statements) => {
  /** Updates the open months of all accounts of a plan. Returns false if a statement skipped a locked month. */
  const applyPlan = (plan: string, at: string | null, run: BackgroundPool["run"], after = "0"): ApplyEffect =>
    Effect.flatMap(
      queryRows<{ last: string | null; missed: boolean }>(
        "select last::text, missed from credit_lay_plan($1, $2, $3, $4)",
        [plan, after, maxAccounts, at],
        run
      ),
      ([row]) =>
        row!.last === null
          ? Effect.succeed(true)
          : Effect.map(applyPlan(plan, at, run, row!.last), (isRestComplete) => isRestComplete && !row!.missed)
    )

  /** Applies all changed plans to open months, and returns true if no month was skipped. */
  const applyChangedPlans = Effect.fnUntraced(function*(at: string | null, run: BackgroundPool["run"]) {
    let isComplete = true
    const changedPlans = yield* queryRows<{ name: string; version: string }>(
      "select name, version::text from plans where not laid order by name",
      [],
      run
    )
    for (const { name, version } of changedPlans) {
      if (yield* applyPlan(name, at, run)) {
        // If the plan was changed again meanwhile, even back to an earlier value, the update changes nothing.
        yield* queryRows("update plans set laid = true where name = $1 and version = $2", [name, version], run)
      } else isComplete = false
    }
    return isComplete
  })

  const applyUntilComplete = (at: string | null, times: number): Effect.Effect<void, StoreUnavailable> =>
    Effect.flatMap(applyChangedPlans(at, backgroundPool.runAtStart), (isComplete) =>
      isComplete || times === 0
        ? Effect.void
        : Effect.andThen(Effect.sleep(retryPolicy.pauseMs), applyUntilComplete(at, times - 1)))

  return {
    applyOnce: (at: string | null): Effect.Effect<void, StoreUnavailable> =>
      Effect.asVoid(applyChangedPlans(at, backgroundPool.run)),
    /** Applies all changed plans at startup, with up to ten retries if another transaction has locked a month. */
    applyAtStart: (at: string | null): Effect.Effect<void, StoreUnavailable> =>
      applyUntilComplete(at, retryPolicy.times)
  }
}

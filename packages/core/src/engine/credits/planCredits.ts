import { Effect, Layer } from "effect"
import { Plans } from "../access/plan.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { LedgerStore } from "./LedgerStore.ts"

/**
 * Writes the monthly credits of the plans to the ledger store when an engine starts. If a plan's monthly credits
 * changed, the change also applies to the current month.
 */
export const layerPlanCredits: Layer.Layer<never, StoreUnavailable, Plans | LedgerStore> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { table } = yield* Plans
    const store = yield* LedgerStore
    const credits = Object.fromEntries(Object.entries(table).map(([name, plan]) => [name, plan.monthly_credits]))
    const storedPlans = yield* store.plans
    for (const [name, monthly] of Object.entries(credits)) {
      const storedCredits = storedPlans[name]
      if (storedCredits === undefined || storedCredits === monthly) continue
      yield* Effect.logWarning(
        `The plan "${name}" allotted ${storedCredits} credits a month, and now allots ${monthly} to all its accounts ` +
          "on all nodes, including in the current month. If this is unintended, correct the plans of this node."
      )
    }
    yield* store.definePlans(credits)
  })
)

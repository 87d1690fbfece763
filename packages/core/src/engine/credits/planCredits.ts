import { Effect, Layer } from "effect"
import { Plans } from "../access/plan.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { LedgerStore } from "./LedgerStore.ts"

/**
 * Writes the plans' monthly credits to the ledger store, also for the current month. Every engine runs this layer once
 * at startup.
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
        `The plan "${name}" allotted ${storedCredits} credits a month and allots ${monthly} from now on, to every account on it and on ` +
          "every node, in the month that runs too. Was this node meant to change it?"
      )
    }
    yield* store.definePlans(credits)
  })
)

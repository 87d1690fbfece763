import { Effect, Layer } from "effect"
import { Plans } from "../access/plan.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { LedgerStore } from "./LedgerStore.ts"

/** Tells the ledger's store what the plans allot, also in the month that runs; every engine needs it once, at its start. */
export const layerPlanAllotments: Layer.Layer<never, StoreUnavailable, Plans | LedgerStore> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { table } = yield* Plans
    const store = yield* LedgerStore
    const credits = Object.fromEntries(Object.entries(table).map(([name, plan]) => [name, plan.monthly_credits]))
    yield* store.definePlans(credits)
  })
)

import { Effect, Layer } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { KeyStore } from "./KeyStore.ts"
import { Plans } from "./plan.ts"

/** So many accounts of each plan are named. */
const few = 5

/** Says at the start which accounts are on plans that this process was not told of: their requests will be refused. */
export const layerPlansBesideWarning: Layer.Layer<never, StoreUnavailable, Plans | KeyStore> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { table } = yield* Plans
    const store = yield* KeyStore
    for (const { accounts, first, plan } of yield* store.plansBeside(Object.keys(table), few)) {
      const more = accounts > first.length ? ", ..." : ""
      yield* Effect.logWarning(
        `The plan "${plan}" is not configured here, and accounts are on it: ${accounts} (ids ${
          first.join(", ")
        }${more}). ` +
          "Their requests are refused until it is configured, or they are put on another plan."
      )
    }
  })
)

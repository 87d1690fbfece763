import { Effect, Layer } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { KeyStore } from "./KeyStore.ts"
import { Plans } from "./plan.ts"

/** The maximum number of account ids per plan in the warning. */
const few = 5

/** Logs at startup which accounts are on plans that this process does not know. Their requests will be rejected. */
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

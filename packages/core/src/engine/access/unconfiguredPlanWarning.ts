import { Effect, Layer } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"
import { KeyStore } from "./KeyStore.ts"
import { Plans } from "./plan.ts"

const maxAccountIds = 5

/**
 * At startup, logs the accounts on plans that this process does not know. Requests of accounts on unknown plans are
 * rejected.
 */
export const layerUnconfiguredPlanWarning: Layer.Layer<never, StoreUnavailable, Plans | KeyStore> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { table } = yield* Plans
    const store = yield* KeyStore
    for (const { accounts, firstAccounts, plan } of yield* store.plansOutside(Object.keys(table), maxAccountIds)) {
      const more = accounts > firstAccounts.length ? ", ..." : ""
      yield* Effect.logWarning(
        `The plan "${plan}" is not configured on this node, but accounts use it: ${accounts} (ids ${
          firstAccounts.join(", ")
        }${more}). ` +
          "Their requests are rejected until the plan is configured, or the accounts have another plan."
      )
    }
  })
)

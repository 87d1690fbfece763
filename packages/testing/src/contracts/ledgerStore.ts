import { layer as withLayer } from "@effect/vitest"
import type { KeyStore, LedgerStore } from "@tapeline/core/engine"
import type { Layer } from "effect"
import { freeingKeys, judgingQuotas, racing, replaying } from "../ledger/contractKeys.ts"
import { admitting, endingOnce, lapsing, layingMonths } from "../ledger/contractReservations.ts"
import { tellingUsage, tellingUsageWhole } from "../ledger/contractUsage.ts"

/** The contract tests of `LedgerStore`. The layer is built once, and every test has its own accounts. */
export const ledgerStoreContract = <E>(
  name: string,
  layer: Layer.Layer<LedgerStore | KeyStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `LedgerStore: ${name}`,
    (it) => {
      admitting(it)
      endingOnce(it)
      lapsing(it)
      layingMonths(it)
      replaying(it)
      freeingKeys(it)
      judgingQuotas(it)
      racing(it)
      tellingUsage(it)
      tellingUsageWhole(it)
    }
  )

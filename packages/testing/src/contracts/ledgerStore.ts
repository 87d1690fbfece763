import { layer as withLayer } from "@effect/vitest"
import type { KeyStore, LedgerStore } from "@tapeline/core/engine"
import type { Layer } from "effect"
import { testCorrections, testGrants, testRefunds } from "../ledger/adjustmentTests.ts"
import { testCalls } from "../ledger/callTests.ts"
import { testChargeIdempotency, testCharges, testRepeatedCharges } from "../ledger/chargeTests.ts"
import { testKeyRelease, testQuotas, testRaces, testReplay } from "../ledger/idempotencyTests.ts"
import { testKeyCredits, testKeyLimitChanges, testKeyLimits } from "../ledger/keyLimitTests.ts"
import { testAdmission, testExpiry, testMonths, testSingleEnd } from "../ledger/reservationTests.ts"
import { testThresholds } from "../ledger/thresholdTests.ts"
import { testUsageReport, testUsageReportPages } from "../ledger/usageReportTests.ts"
import { testUsage, testUsageConsistency } from "../ledger/usageTests.ts"

/** Defines the contract tests of `LedgerStore`. */
export const ledgerStoreContract = <E>(
  name: string,
  layer: Layer.Layer<LedgerStore | KeyStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `LedgerStore: ${name}`,
    (it) => {
      testAdmission(it)
      testSingleEnd(it)
      testCharges(it)
      testChargeIdempotency(it)
      testRepeatedCharges(it)
      testExpiry(it)
      testMonths(it)
      testReplay(it)
      testKeyRelease(it)
      testQuotas(it)
      testRaces(it)
      testUsage(it)
      testUsageConsistency(it)
      testGrants(it)
      testCorrections(it)
      testRefunds(it)
      testCalls(it)
      testUsageReport(it)
      testUsageReportPages(it)
      testThresholds(it)
      testKeyLimits(it)
      testKeyCredits(it)
      testKeyLimitChanges(it)
    }
  )

import { layer as withLayer } from "@effect/vitest"
import type { MarketStore } from "@tapeline/core/market/store"
import type { Effect, Layer } from "effect"
import { coverageChecks } from "../marketStore/coverageTests.ts"
import { documentChecks } from "../marketStore/documentTests.ts"
import { eventReadChecks, eventWriteChecks } from "../marketStore/eventTests.ts"
import { testFences, testLeases } from "../marketStore/leaseTests.ts"
import { readChecks, writeChecks } from "../marketStore/pointTests.ts"
import { pruningChecks } from "../marketStore/pruningTests.ts"

/** Defines the contract tests of `MarketStore`. The function `advance` simulates that time passes in the store. */
export const marketStoreContract = <R, E>(
  name: string,
  stores: Layer.Layer<MarketStore | R, E>,
  advance: (ms: number) => Effect.Effect<void, unknown, R>,
  options: { readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(stores, { timeout: 60_000, ...options })(`MarketStore: ${name}`, (it) => {
    testLeases(it, advance)
    testFences(it, advance)
    const checks = [
      writeChecks,
      coverageChecks,
      readChecks,
      eventWriteChecks,
      eventReadChecks,
      documentChecks,
      pruningChecks
    ].flat()
    for (const [title, test] of checks) it.effect(title, () => test)
  })

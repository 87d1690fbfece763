import { layer as withLayer } from "@effect/vitest"
import type { MarketStore } from "@tapeline/core/market/store"
import type { Effect, Layer } from "effect"
import { covering } from "../marketStore/covering.ts"
import { documents } from "../marketStore/documents.ts"
import { readingEvents, writingEvents } from "../marketStore/events.ts"
import { fencing, leasing } from "../marketStore/leading.ts"
import { pruning } from "../marketStore/pruning.ts"
import { reading, writing } from "../marketStore/writing.ts"

/**
 * The contract tests of `MarketStore`. `advance` lets the store's own time pass. A store on a database ages its leases
 * instead, because its clock cannot be moved.
 */
export const marketStoreContract = <R, E>(
  name: string,
  stores: Layer.Layer<MarketStore | R, E>,
  advance: (ms: number) => Effect.Effect<void, unknown, R>,
  options: { readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(stores, { timeout: 60_000, ...options })(`MarketStore: ${name}`, (it) => {
    leasing(it, advance)
    fencing(it, advance)
    const checks = [writing, covering, reading, writingEvents, readingEvents, documents, pruning].flat()
    for (const [title, test] of checks) it.effect(title, () => test)
  })

import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import { ending } from "../agent/endingGenerations.ts"
import type { AgentStores } from "../agent/fixtures.ts"
import { type Advance, running } from "../agent/runningGenerations.ts"
import { starting } from "../agent/startingGenerations.ts"

/**
 * The contract tests of `GenerationStore`. The layer is built once, and every test has its own accounts. `advance`
 * moves the store's own time forward, or its rows back, which has the same effect.
 */
export const generationStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<AgentStores | R, E>,
  advance: Advance<R>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`GenerationStore: ${name}`, (it) => {
    starting(it)
    running(it, advance)
    ending(it, advance)
  })

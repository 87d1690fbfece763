import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import { ending } from "../agent/endingGenerations.ts"
import type { AgentStores } from "../agent/fixtures.ts"
import { type Advance, running } from "../agent/runningGenerations.ts"
import { starting } from "../agent/startingGenerations.ts"

/**
 * What every `GenerationStore` promises, as tests. The layer is built once; every test has accounts of its own.
 * `advance` moves the store's own time on (or its rows back, which is the same to them).
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

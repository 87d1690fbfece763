import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import type { AgentStores } from "../agent/fixtures.ts"
import { starting } from "../agent/startingGenerations.ts"

/** What every `GenerationStore` promises, as tests. The layer is built once; every test has accounts of its own. */
export const generationStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<AgentStores | R, E>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`GenerationStore: ${name}`, (it) => {
    starting(it)
  })

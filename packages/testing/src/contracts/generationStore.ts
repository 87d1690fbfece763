import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import type { AgentStores } from "../agent/fixtures.ts"
import { testGenerationEnds } from "../agent/generationEndTests.ts"
import { testGenerationStarts } from "../agent/generationStartTests.ts"
import { type Advance, testRunningGenerations } from "../agent/runningGenerationTests.ts"

/** Defines the contract tests of `GenerationStore`. The function `advance` simulates that time passes in the store. */
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
    testGenerationStarts(it)
    testRunningGenerations(it, advance)
    testGenerationEnds(it, advance)
  })

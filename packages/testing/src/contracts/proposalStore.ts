import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import type { AgentStores } from "../agent/fixtures.ts"
import { testProposals } from "../agent/proposalTests.ts"
import type { Advance } from "../agent/runningGenerationTests.ts"

/** Defines the contract tests of `ProposalStore`. The function `advance` simulates that time passes in the store. */
export const proposalStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<AgentStores | R, E>,
  advance: Advance<R>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`ProposalStore: ${name}`, (it) => testProposals(it, advance))

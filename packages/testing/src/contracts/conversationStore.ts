import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import { testConversationStore } from "../agent/conversationTests.ts"
import type { AgentStores } from "../agent/fixtures.ts"

/** Defines the contract tests of `ConversationStore`. */
export const conversationStoreContract = <E>(
  name: string,
  layer: Layer.Layer<AgentStores, E>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`ConversationStore: ${name}`, testConversationStore)

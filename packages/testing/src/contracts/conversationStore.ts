import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import type { AgentStores } from "../agent/fixtures.ts"
import { keepingConversations } from "../agent/keepingConversations.ts"

/** What every `ConversationStore` promises, as tests. The layer is built once; every test has accounts of its own. */
export const conversationStoreContract = <E>(
  name: string,
  layer: Layer.Layer<AgentStores, E>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`ConversationStore: ${name}`, keepingConversations)

import type { ConversationStore, GenerationLog, GenerationStore, ProposalStore } from "@tapeline/core/agent"
import {
  Administration,
  type AdminStore,
  allScopes,
  type IdentityStore,
  type KeyStore,
  type LedgerStore,
  type Principal,
  type RateLimitStore,
  type Scope,
  type SessionStore,
  type WebhookStore
} from "@tapeline/core/engine"
import { Effect, Layer, Redacted } from "effect"
import { MemoryAdminStore } from "./memory/MemoryAdminStore.ts"
import { MemoryArtifactStore } from "./memory/MemoryArtifactStore.ts"
import { MemoryConversationStore } from "./memory/MemoryConversationStore.ts"
import { MemoryGenerationLog } from "./memory/MemoryGenerationLog.ts"
import { MemoryGenerationStore } from "./memory/MemoryGenerationStore.ts"
import { MemoryIdentityStore } from "./memory/MemoryIdentityStore.ts"
import { MemoryJournalStore } from "./memory/MemoryJournalStore.ts"
import { MemoryKeyStore } from "./memory/MemoryKeyStore.ts"
import { MemoryLedgerStore } from "./memory/MemoryLedgerStore.ts"
import { MemoryNotificationStore } from "./memory/MemoryNotificationStore.ts"
import { MemoryProposalStore } from "./memory/MemoryProposalStore.ts"
import { MemoryRateLimitStore } from "./memory/MemoryRateLimitStore.ts"
import { MemorySessionStore } from "./memory/MemorySessionStore.ts"
import { MemoryState } from "./memory/MemoryState.ts"
import { MemoryTaskStore } from "./memory/MemoryTaskStore.ts"
import { MemoryWebhookStore } from "./memory/MemoryWebhookStore.ts"

/** Provides all stores in memory, over one shared state. */
export const MemoryStores: Layer.Layer<
  | AdminStore
  | KeyStore
  | LedgerStore
  | RateLimitStore
  | SessionStore
  | IdentityStore
  | ConversationStore
  | GenerationStore
  | GenerationLog
  | ProposalStore
  | WebhookStore
  | MemoryState
> = Layer.mergeAll(
  MemoryAdminStore,
  MemoryKeyStore,
  MemoryLedgerStore,
  MemoryRateLimitStore,
  MemorySessionStore,
  MemoryIdentityStore,
  MemoryConversationStore,
  MemoryGenerationStore,
  MemoryGenerationLog,
  MemoryProposalStore,
  MemoryWebhookStore,
  MemoryArtifactStore,
  MemoryJournalStore,
  MemoryTaskStore,
  MemoryNotificationStore
).pipe(Layer.provideMerge(MemoryState.layer))

/** Creates an account with an API key, and returns the account, the key as text, and the principal of the key. */
export const createKeyedAccount = Effect.fnUntraced(function*(options?: {
  readonly plan?: string
  readonly scopes?: ReadonlyArray<Scope>
}) {
  const administration = yield* Administration
  const plan = options?.plan ?? "pro"
  const scopes = options?.scopes ?? allScopes
  const account = yield* administration.createAccount({ name: "test", plan })
  const { key, record } = yield* administration.issueKey({ account: account.id, name: "test", scopes })
  const principal: Principal = { account: account.id, actor: { _tag: "Key", key: record.id }, plan, scopes }
  return { account, key: Redacted.value(key), record, principal }
})

import {
  MemoryAdminStore,
  MemoryArtifactStore,
  MemoryConversationStore,
  MemoryIdentityStore,
  MemoryJournalStore,
  MemoryKeyStore,
  MemoryLedgerStore,
  MemoryNotificationStore,
  MemoryRateLimitStore,
  MemorySessionStore,
  MemoryState,
  MemoryStores,
  MemoryTaskStore
} from "@tapeline/testing"
import { adminStoreContract } from "@tapeline/testing/contracts/adminStore"
import { adminTokenContract } from "@tapeline/testing/contracts/adminTokens"
import { artifactStoreContract } from "@tapeline/testing/contracts/artifactStore"
import { identityStoreContract } from "@tapeline/testing/contracts/identityStore"
import { journalStoreContract } from "@tapeline/testing/contracts/journalStore"
import { keyStoreContract } from "@tapeline/testing/contracts/keyStore"
import { ledgerFailpointContract } from "@tapeline/testing/contracts/ledgerFailpoints"
import { ledgerStoreContract } from "@tapeline/testing/contracts/ledgerStore"
import { queuedEventsContract } from "@tapeline/testing/contracts/queuedEvents"
import { rateLimitStoreContract } from "@tapeline/testing/contracts/rateLimitStore"
import { sessionStoreContract } from "@tapeline/testing/contracts/sessionStore"
import { taskFailpointContract } from "@tapeline/testing/contracts/taskFailpoints"
import { taskStoreContract } from "@tapeline/testing/contracts/taskStore"
import { webhookStoreContract } from "@tapeline/testing/contracts/webhookStore"
import { readMemoryRows } from "@tapeline/testing/ledger/rows"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const stores = Layer.mergeAll(
  MemoryAdminStore,
  MemorySessionStore,
  MemoryIdentityStore,
  MemoryKeyStore,
  MemoryLedgerStore,
  MemoryRateLimitStore,
  MemoryArtifactStore,
  MemoryJournalStore,
  MemoryConversationStore,
  MemoryTaskStore,
  MemoryNotificationStore
).pipe(Layer.provide(MemoryState.layer))

adminStoreContract("memory", stores, { rollsBack: false })
adminTokenContract("memory", stores)
webhookStoreContract("memory", MemoryStores)
queuedEventsContract("memory", MemoryStores)
keyStoreContract("memory", stores)
sessionStoreContract("memory", stores)
identityStoreContract("memory", stores)
ledgerStoreContract("memory", stores)
rateLimitStoreContract("memory", stores, (ms) => Effect.asVoid(TestClock.adjust(ms)))
artifactStoreContract("memory", stores, (ms) => Effect.asVoid(TestClock.adjust(ms)))
journalStoreContract("memory", stores, (ms) => Effect.asVoid(TestClock.adjust(ms)))
taskStoreContract("memory", stores, (ms) => Effect.asVoid(TestClock.adjust(ms)))
ledgerFailpointContract(
  "memory",
  (failpoints) =>
    Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore).pipe(
      Layer.provide(failpoints),
      Layer.provideMerge(MemoryState.layer)
    ),
  readMemoryRows
)
taskFailpointContract(
  "memory",
  (failpoints) =>
    Layer.mergeAll(MemoryConversationStore, MemoryTaskStore, MemoryNotificationStore).pipe(
      Layer.provide(failpoints),
      Layer.provide(MemoryState.layer)
    )
)

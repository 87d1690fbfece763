import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { keyStoreContract } from "@tapeline/testing/contracts/keyStore"
import { ledgerStoreContract } from "@tapeline/testing/contracts/ledgerStore"
import { requestWindowStoreContract } from "@tapeline/testing/contracts/requestWindowStore"
import { MemoryKeyStore, MemoryLedgerStore, MemoryRequestWindowStore, MemoryState } from "@tapeline/testing"

const stores = Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore, MemoryRequestWindowStore).pipe(
  Layer.provide(MemoryState.layer)
)

keyStoreContract("memory", stores)
ledgerStoreContract("memory", stores)
requestWindowStoreContract("memory", stores, (ms) => Effect.asVoid(TestClock.adjust(ms)))

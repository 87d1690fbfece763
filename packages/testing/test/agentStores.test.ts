import { MemoryStores } from "@tapeline/testing"
import { conversationStoreContract } from "@tapeline/testing/contracts/conversationStore"
import { generationLogContract } from "@tapeline/testing/contracts/generationLog"
import { generationStoreContract } from "@tapeline/testing/contracts/generationStore"
import { proposalStoreContract } from "@tapeline/testing/contracts/proposalStore"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

generationStoreContract("memory", MemoryStores, (ms) => Effect.asVoid(TestClock.adjust(ms)))
proposalStoreContract("memory", MemoryStores, (ms) => Effect.asVoid(TestClock.adjust(ms)))
conversationStoreContract("memory", MemoryStores)
generationLogContract("memory", MemoryStores)

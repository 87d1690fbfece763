import { MemoryStores } from "@tapeline/testing"
import { conversationStoreContract } from "@tapeline/testing/contracts/conversationStore"
import { generationFailpointContract } from "@tapeline/testing/contracts/generationFailpoints"
import { generationLogContract } from "@tapeline/testing/contracts/generationLog"
import { generationStoreContract } from "@tapeline/testing/contracts/generationStore"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

generationStoreContract("memory", MemoryStores, (ms) => Effect.asVoid(TestClock.adjust(ms)))
conversationStoreContract("memory", MemoryStores)
generationLogContract("memory", MemoryStores)
generationFailpointContract("memory", (failpoints) => MemoryStores.pipe(Layer.provide(failpoints)))

import { MemoryStores } from "@tapeline/testing"
import { generationStoreContract } from "@tapeline/testing/contracts/generationStore"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

generationStoreContract("memory", MemoryStores, (ms) => Effect.asVoid(TestClock.adjust(ms)))

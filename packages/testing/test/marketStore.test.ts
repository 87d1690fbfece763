import { MemoryMarketStore } from "@tapeline/testing"
import { marketStoreContract } from "@tapeline/testing/contracts/marketStore"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

marketStoreContract("memory", MemoryMarketStore, (ms) => Effect.asVoid(TestClock.adjust(ms)))

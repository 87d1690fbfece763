import { MemoryMarketStore } from "@tapeline/testing"
import { storedSuites } from "../support/storedSuites.ts"

storedSuites("a store in memory of what was collected", MemoryMarketStore)

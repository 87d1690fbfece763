import { MemoryMarketStore } from "@tapeline/testing"
import { storedSuites } from "../support/storedSuites.ts"

storedSuites("collected data in memory", MemoryMarketStore)

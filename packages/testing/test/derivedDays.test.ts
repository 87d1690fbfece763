import { derivedDaysContract } from "@tapeline/testing/contracts/derivedDays"
import { isFullRun } from "@tapeline/testing/fullRun"
import { MemoryDerivedDays } from "../src/memory/MemoryDerivedDays.ts"

derivedDaysContract("in memory", MemoryDerivedDays, isFullRun ? { runs: 150, timeoutMs: 300_000 } : { runs: 2 })

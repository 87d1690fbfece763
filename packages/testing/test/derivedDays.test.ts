import { derivedDaysContract } from "@tapeline/testing/contracts/derivedDays"
import { MemoryDerivedDays } from "../src/memory/MemoryDerivedDays.ts"

const full = process.env["TAPELINE_TEST_FULL"] === "1"
derivedDaysContract("in memory", MemoryDerivedDays, full ? { runs: 150, timeoutMs: 300_000 } : { runs: 2 })

import { derivedDaysContract } from "@tapeline/testing/contracts/derivedDays"
import { MemoryDerivedDays } from "../src/memory/MemoryDerivedDays.ts"

const runs = process.env["TAPELINE_TEST_FULL"] === "1" ? 150 : 15
derivedDaysContract("in memory", MemoryDerivedDays, { runs })

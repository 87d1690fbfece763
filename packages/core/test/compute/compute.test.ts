import { computeContract } from "@tapeline/testing/contracts/compute"
import { Layer } from "effect"

// What stands in for `Compute` where nobody gives another.
computeContract("the caller's own thread", () => Layer.empty, { ownThreads: false })

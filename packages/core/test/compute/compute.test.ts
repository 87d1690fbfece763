import { computeContract } from "@tapeline/testing/contracts/compute"
import { Layer } from "effect"

// The default of `Compute`.
computeContract("the caller's own thread", () => Layer.empty, { hasOwnThreads: false })

import { computeContract } from "@tapeline/testing/contracts/compute"
import { Layer } from "effect"

computeContract("the caller's own thread", () => Layer.empty, { hasOwnThreads: false })

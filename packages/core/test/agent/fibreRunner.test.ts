import { layerFibreRunner } from "@tapeline/core"
import { MemoryStores } from "@tapeline/testing"
import { generationRunnerContract } from "@tapeline/testing/contracts/generationRunner"

generationRunnerContract("fibres", MemoryStores, layerFibreRunner)

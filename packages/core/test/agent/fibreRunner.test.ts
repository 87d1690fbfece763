import { MemoryStores } from "@tapeline/testing"
import { layerFibreRunner } from "@tapeline/testing/agent/fibreRunner"
import { generationRunnerContract } from "@tapeline/testing/contracts/generationRunner"

generationRunnerContract("fibres", MemoryStores, layerFibreRunner)

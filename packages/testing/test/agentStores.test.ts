import { MemoryStores } from "@tapeline/testing"
import { generationStoreContract } from "@tapeline/testing/contracts/generationStore"

generationStoreContract("memory", MemoryStores)

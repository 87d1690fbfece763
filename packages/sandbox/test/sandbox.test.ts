import { codeSandboxContract } from "@tapeline/testing/contracts/codeSandbox"
import { layerSandbox } from "../src/index.ts"

// Little memory is eaten sooner.
codeSandboxContract("QuickJS in threads", (options) => layerSandbox({ ...options, memoryMb: 32 }))

import { codeSandboxContract } from "@tapeline/testing/contracts/codeSandbox"
import { layerSandbox } from "../src/index.ts"

const full = process.env["TAPELINE_TEST_FULL"] === "1"

/** Every hostile script runs at full counts; otherwise every fourth one, beginning with a random one. */
const nth = full ? 1 : 4
const first = Number(process.env["TEST_SCRIPT_SEED"] ?? Math.floor(Math.random() * nth))
console.info(`hostile scripts are drawn by TEST_SCRIPT_SEED=${first}`)

// Little memory is eaten sooner.
codeSandboxContract("QuickJS in threads", (options) => layerSandbox({ ...options, memoryMb: 32 }), { first, nth })

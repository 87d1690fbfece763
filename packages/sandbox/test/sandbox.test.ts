import { assert, it } from "@effect/vitest"
import { CodeSandbox } from "@tapeline/core/analysis"
import { codeSandboxContract } from "@tapeline/testing/contracts/codeSandbox"
import { seed } from "@tapeline/testing/seed"
import { Effect } from "effect"
import { layerSandbox } from "../src/index.ts"

const full = process.env["TAPELINE_TEST_FULL"] === "1"

/** Every hostile script runs at full counts; the usual run draws a quarter of them. */
const nth = full ? 1 : 4
const first = seed % nth

// Little memory is eaten sooner.
codeSandboxContract("QuickJS in threads", (options) => layerSandbox({ ...options, memoryMb: 32 }), { first, nth })

it.live("blames the script for a trap of WebAssembly before its first wait", () =>
  Effect.gen(function*() {
    const sandbox = yield* CodeSandbox
    // With this text the memory ends where QuickJS does not expect it: "memory access out of bounds".
    const code = [
      "const keep = []; const eat = () => {",
      " for (let n = 1 << 22; n >= 8; n >>= 1) { try { for (;;) keep.push(new ArrayBuffer(n)) } catch {} }",
      " for (let i = 0;;) { try { keep.push({}) } catch { break } } }; eat(); throw 1"
    ].join("")
    const answer = () => Effect.succeed(1)
    const functions = { price: { atMost: 1, answer }, call: { atMost: 1, answer } }
    const run = sandbox.run({ code, inputs: {}, limitMs: 8_000, waitMs: 1_000, owner: 1, functions })
    assert.deepInclude(yield* Effect.flip(run), { _tag: "ScriptError", fault: { _tag: "Memory", limitMb: 64 } })
  }).pipe(Effect.provide(layerSandbox({ memoryMb: 64 }))))

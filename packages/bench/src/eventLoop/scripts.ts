/**
 * Scripts that do what harm they can, one after another in a sandbox: the longest that the thread which serves computed
 * in one go meanwhile, ms, and by which of them. `node scripts.ts`.
 */
import { CodeSandbox } from "@tapeline/core/code"
import { layerSandbox } from "@tapeline/sandbox"
import { breaking, flooding, forgingFailure, spinning, wrong } from "@tapeline/testing/contracts/hostileScripts"
import { Effect } from "effect"
import { watchOwnTime } from "./ownTime.ts"

const harmful = Object.entries({ ...wrong, ...breaking, ...flooding, ...forgingFailure })
const scripts = [...harmful.map(([what, { code }]) => [what, code] as const), ...Object.entries(spinning)]

const program = Effect.gen(function*() {
  const sandbox = yield* CodeSandbox
  const run = (code: string) => Effect.exit(sandbox.run({ code, inputs: {}, limitMs: 300, owner: 1, functions: {} }))
  yield* run("quant.sma([1, 2], 2)")
  const blocks: Array<{ readonly what: string; readonly ms: number }> = []
  for (const [what, code] of scripts) {
    const ownTime = watchOwnTime()
    yield* Effect.sleep(5)
    yield* run(code)
    yield* Effect.sleep(5)
    blocks.push({ what, ms: ownTime() })
  }
  const { ms, what } = blocks.toSorted((a, b) => b.ms - a.ms)[0]!
  return { scripts: scripts.length, longestMs: ms, what }
})

console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, layerSandbox()))))

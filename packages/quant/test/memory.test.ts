/** Tests that an indicator allocates its output, and nothing else that grows with the input. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

interface Measurement {
  readonly name: string
  readonly expected: number
  readonly bytes: number
  readonly heap: number
}

it("indicators allocate only their output series", () => {
  const script = fileURLToPath(new URL("./allocations.ts", import.meta.url))
  const measured: ReadonlyArray<Measurement> = JSON.parse(
    // A function that is optimized in the background allocates numbers for longer on a busy machine.
    execFileSync(process.execPath, ["--no-concurrent-recompilation", script], { encoding: "utf8" })
  )
  expect(measured.length).toBeGreaterThan(10)
  // Ring buffers with the length of a window do not grow with the input. All other objects of a call need far less than
  // 200 kB.
  expect(measured.filter(({ bytes, expected }) => bytes < expected || bytes > expected + 1024)).toEqual([])
  expect(measured.filter(({ heap }) => heap > 200_000)).toEqual([])
}, 60_000)

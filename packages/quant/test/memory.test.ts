/**
 * An indicator allocates its output and nothing else that grows with the input: typed arrays are counted as they are
 * made, and the heap is compared before and after.
 */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

interface Measured {
  readonly name: string
  readonly expected: number
  readonly bytes: number
  readonly heap: number
}

it("indicators allocate their output series and no more", () => {
  const script = fileURLToPath(new URL("./allocations.ts", import.meta.url))
  const measured: ReadonlyArray<Measured> = JSON.parse(execFileSync(process.execPath, [script], { encoding: "utf8" }))
  expect(measured.length).toBeGreaterThan(10)
  // Rings as long as a window do not grow with the input; a quarter of one series is far above what a call's objects
  // take.
  expect(measured.filter(({ bytes, expected }) => bytes < expected || bytes > expected + 1024)).toEqual([])
  expect(measured.filter(({ heap }) => heap > 200_000)).toEqual([])
}, 60_000)

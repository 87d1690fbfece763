import { expect, it } from "vitest"
import { faultKinds, recover } from "../src/recovery/recovery.ts"

/** A short `npm run soak:recovery`, without its measurement. */
it.each(faultKinds)("%s: answers end, and are charged by what they showed", async (kind) => {
  const { findings, stalls } = await recover(kind, 20)
  expect(findings).toEqual([])
  expect(stalls.length).toBeGreaterThan(0)
}, 180_000)

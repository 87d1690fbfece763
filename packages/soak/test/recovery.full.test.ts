import { expect, it } from "vitest"
import { faultKinds, runRecovery } from "../src/recovery/recovery.ts"

/** Runs a short version of `npm run soak:recovery`, without the measurement. */
it.each(faultKinds)("%s: ends every answer, and charges for the shown part", async (kind) => {
  const { findings, stallsMs } = await runRecovery(kind, 20)
  expect(findings).toEqual([])
  expect(stallsMs.length).toBeGreaterThan(0)
}, 180_000)

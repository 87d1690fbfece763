import { expect, it } from "vitest"
import { strike } from "../src/answers/matrix.ts"
import { withWorld } from "../src/answers/world.ts"

/** One case of `npm run soak:answers`. More cases are in `answers.full.test.ts`. */
it("continues a killed process's answer in another process, and charges the answer once", async () => {
  const findings = await withWorld((world) => strike(world, { point: "after:store", nth: 2, signal: "SIGKILL" }))
  expect(findings).toEqual([])
}, 120_000)

import { expect, it } from "vitest"
import { refusalIn, refusalWords } from "../browser/pages/signIn/refusals.ts"

it("every word with which the service leads back is one that the page says, and no other text of an address is", () => {
  for (const reason of Object.keys(refusalWords.en)) {
    expect(refusalIn(new URLSearchParams({ refused: reason }))).toBe(reason)
  }
  for (const other of ["", "toString", "__proto__", "<b>call 555</b>", "Denied"]) {
    expect(refusalIn(new URLSearchParams({ refused: other }))).toBeUndefined()
  }
  expect(refusalIn(new URLSearchParams())).toBeUndefined()
})

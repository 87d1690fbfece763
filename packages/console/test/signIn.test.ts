import { expect, it } from "vitest"
import { removeLinkSecret } from "../browser/pages/signIn/link.ts"
import { parseRejection, rejectionTexts } from "../browser/pages/signIn/rejections.ts"

it("accepts the service's rejection reasons in an address, and no other text", () => {
  for (const reason of Object.keys(rejectionTexts.en)) {
    expect(parseRejection(new URLSearchParams({ refused: reason }))).toBe(reason)
  }
  for (const other of ["", "toString", "__proto__", "<b>call 555</b>", "Denied"]) {
    expect(parseRejection(new URLSearchParams({ refused: other }))).toBeUndefined()
  }
  expect(parseRejection(new URLSearchParams())).toBeUndefined()
})

it("removes a sign-in link from an address, also a damaged one, and nothing else", () => {
  const removeSecret = (address: string) => removeLinkSecret(new URL(address, "http://127.0.0.1"))
  expect(removeSecret("/app/sign-in#tl_link_a1")).toBe("/app/sign-in")
  expect(removeSecret("/app/usage?month=2026-10#tl_link_a1%20x")).toBe("/app/usage?month=2026-10")
  expect(removeSecret("/app/tools?text=price#page")).toBe("/app/tools?text=price#page")
})

import { expect, it } from "vitest"
import { keysWords } from "../../../browser/pages/keys/words.ts"
import { sessionsWords } from "../../../browser/pages/sessions/words.ts"
import { signInWords } from "../../../browser/pages/signIn/words.ts"
import { usageWords } from "../../../browser/pages/usage/words.ts"
import type { House } from "../support/house.ts"

export const sessions = (house: () => House): void => {
  it("a session that is ended from another one is out at its next step, and is told so", async () => {
    const account = await house().account()
    const [one, other] = [await house().signedIn(account), await house().signedIn(account, { screen: "phone" })]
    await other.go("/keys")
    await other.page.getByRole("heading", { name: keysWords.en.title, level: 1 }).waitFor()
    await one.go("/sessions")
    await one.page.getByRole("button", { name: /^End the session of/u }).click()
    await one.page.getByText(sessionsWords.en.endedOne).waitFor()
    await other.page.getByRole("navigation").getByRole("link", { name: usageWords.en.title }).or(
      other.page.getByRole("button", { name: keysWords.en.issue }).first()
    ).last().click()
    await other.page.getByRole("status").getByText(signInWords.en.lost).waitFor()
    await one.page.getByRole("radio", { name: new RegExp(`^${sessionsWords.en.past}`, "u") }).click()
    await one.page.getByText(sessionsWords.en.revoked).filter({ visible: true }).waitFor()
    expect(await one.page.getByRole("row").count()).toBe(2)
  })
}

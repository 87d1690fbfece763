import { expect, it } from "vitest"
import { accessWords } from "../../../browser/access/words.ts"
import { frameWords } from "../../../browser/app/words.ts"
import { keyDialogWords } from "../../../browser/pages/keys/dialogWords.ts"
import { keysWords } from "../../../browser/pages/keys/words.ts"
import { sessionsWords } from "../../../browser/pages/sessions/words.ts"
import { signInWords } from "../../../browser/pages/signIn/words.ts"
import { usageWords } from "../../../browser/pages/usage/words.ts"
import type { House } from "../support/house.ts"

export const sessions = (house: () => House): void => {
  it("a tab that was opened for one account does nothing in another that its browser signed in to since, and says so", async () => {
    const [kim, lee] = [await house().account(), await house().account("trader", "Lee")]
    const { go, page } = await house().signedIn(kim)
    await go("/keys")
    await page.getByRole("button", { name: keysWords.en.issue }).first().click()
    await page.getByRole("textbox", { name: keyDialogWords.en.name }).fill("laptop")
    const second = await page.context().newPage()
    await second.goto(await house().link(lee))
    await second.getByRole("button", { name: signInWords.en.signInAnew }).click()
    await second.waitForURL(`${house().url}/app/tools`)
    const said = page.getByRole("alert").getByText(accessWords.en.other("Lee", lee))
    const issue = page.getByRole("dialog").getByRole("button", { name: keyDialogWords.en.issue })
    // What the page asks by itself may have found it out before.
    await Promise.any([said.waitFor(), issue.click()])
    await said.waitFor()
    await page.getByText(accessWords.en.otherMore("Kim", kim)).waitFor()
    const { keys } = await (await second.request.get("/v1/account/keys")).json()
    expect(keys).toEqual([])
    await page.getByRole("button", { name: frameWords.en.reload }).click()
    await page.getByRole("button", { name: /^Lee trader/u }).waitFor()
  })

  it("who signs out of a session that ended elsewhere is out", async () => {
    const account = await house().account()
    const [one, other] = [await house().signedIn(account), await house().signedIn(account)]
    const menu = other.page.getByRole("button", { name: frameWords.en.accountMenu })
    await menu.click()
    // The page finds out by this press alone.
    await other.page.route("**/v1/{usage,notifications}*", (route) => route.abort())
    const { sessions } = await (await one.page.request.get("/v1/account/sessions")).json()
    for (const { current, id } of sessions) {
      if (!current) {
        await one.page.evaluate(
          (id) => fetch(`/v1/account/sessions/${id}`, { method: "DELETE", headers: { "x-tapeline-console": "1" } }),
          id
        )
      }
    }
    await other.page.getByRole("menuitem", { name: frameWords.en.leave }).click()
    await other.page.getByRole("heading", { level: 1, name: signInWords.en.title }).waitFor()
    expect(await other.page.getByText(signInWords.en.lost).count()).toBe(0)
  })

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

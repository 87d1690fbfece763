import { expect, it } from "vitest"
import { accessWords } from "../../../browser/access/words.ts"
import { frameWords } from "../../../browser/app/words.ts"
import { keyDialogWords } from "../../../browser/pages/keys/dialogWords.ts"
import { keysWords } from "../../../browser/pages/keys/words.ts"
import { sessionsWords } from "../../../browser/pages/sessions/words.ts"
import { signInWords } from "../../../browser/pages/signIn/words.ts"
import { toolWords } from "../../../browser/pages/tool/words.ts"
import { toolsWords } from "../../../browser/pages/tools/words.ts"
import { usageWords } from "../../../browser/pages/usage/words.ts"
import { settled } from "../support/axe.ts"
import type { House } from "../support/house.ts"

export const ending = (house: () => House): void => {
  it("an answer that refuses an ended session late throws out nobody who signed in again since", async () => {
    const account = await house().account()
    const { go, page } = await house().signedIn(account)
    await go("/tools/get_price")
    const refused = await fetch(`${house().url}/v1/tools/get_price`, { method: "POST", body: "{}" })
    const body = await refused.text()
    const held = Promise.withResolvers<void>()
    await page.route("**/v1/tools/get_price", async (route) => {
      await held.promise
      await route.fulfill({ status: refused.status, headers: Object.fromEntries(refused.headers), body })
    })
    const late = page.waitForResponse((response) => response.url().endsWith("/v1/tools/get_price"))
    await page.getByRole("button", { name: toolWords.en.run, exact: true }).click()
    await page.getByRole("button", { name: frameWords.en.accountMenu }).click()
    await page.getByRole("menuitem", { name: frameWords.en.leave }).click()
    await page.getByRole("textbox", { name: signInWords.en.key }).fill(await house().key(account))
    await page.getByRole("button", { name: signInWords.en.use }).click()
    await page.getByRole("button", { name: toolWords.en.run, exact: true }).waitFor()
    held.resolve()
    expect((await late).status()).toBe(401)
    await page.getByRole("link", { name: toolsWords.en.title }).first().click()
    await page.getByRole("row", { name: "get_price", exact: true }).waitFor()
  })

  it("a key that is shown stands until it is copied, also where its session ended meanwhile", async () => {
    const account = await house().account()
    const { go, page } = await house().signedIn(account)
    await go("/keys")
    await page.getByRole("button", { name: keysWords.en.issue }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: keyDialogWords.en.name }).fill("laptop")
    await dialog.getByRole("button", { name: keyDialogWords.en.issue }).click()
    await dialog.getByText(/^tl_live_\w+$/u).waitFor()
    await page.context().clearCookies()
    const refused = page.waitForResponse((response) => response.status() === 401)
    for (const isOffline of [true, false]) await page.context().setOffline(isOffline)
    await refused
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await dialog.getByText(/^tl_live_\w+$/u).count()).toBe(1)
    await dialog.getByRole("button", { name: keyDialogWords.en.done }).click()
    await page.getByRole("status").getByText(signInWords.en.lost).waitFor()
  })

  it("a plan that changed since the sign-in is told by the pages of the account", async () => {
    const account = await house().account()
    const { go, page } = await house().signedIn(account)
    await go("/tools")
    const corner = page.getByRole("button", { name: /^Kim/u })
    expect(await corner.innerText()).toContain("trader")
    await house().changePlan(account, "spent")
    await page.getByRole("link", { name: sessionsWords.en.title }).first().click()
    await page.getByRole("main").getByText("spent", { exact: true }).waitFor()
    expect(await corner.innerText()).toContain("spent")
  })
}

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
    // A request of the page may detect it first; then there is no button to click.
    const step = issue.click({ timeout: 5_000 }).catch(() => undefined)
    await said.waitFor()
    await step
    await page.getByText(accessWords.en.otherMore("Kim", kim)).waitFor()
    const { keys } = await (await second.request.get("/v1/account/keys")).json()
    expect(keys).toEqual([])
    await page.getByRole("button", { name: frameWords.en.reload }).click()
    await page.getByRole("button", { name: /^Lee trader/u }).waitFor()
  })

  it("who signs out of a session that ended elsewhere is out", async () => {
    const account = await house().account()
    const [one, other] = [await house().signedIn(account), await house().signedIn(account)]
    for (const { go, page } of [one, other]) {
      await go("/keys")
      await settled(page)
    }
    const menu = other.page.getByRole("button", { name: frameWords.en.accountMenu })
    await menu.click()
    // Other requests are blocked, so that only this press can detect it.
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
    const out = other.page.getByRole("status").getByText(signInWords.en.lost)
    const step = other.page.getByRole("navigation").getByRole("link", { name: usageWords.en.title }).or(
      other.page.getByRole("button", { name: keysWords.en.issue }).first()
    ).last()
    // The page's notification stream may detect it first; then there is nothing to click.
    const clicked = step.click({ timeout: 5_000 }).catch(() => undefined)
    await out.waitFor()
    await clicked
    await one.page.getByRole("radio", { name: new RegExp(`^${sessionsWords.en.past}`, "u") }).click()
    await one.page.getByText(sessionsWords.en.revoked).filter({ visible: true }).waitFor()
    expect(await one.page.getByRole("row").count()).toBe(2)
  })
}

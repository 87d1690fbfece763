import { expect, it } from "vitest"
import { accessWords } from "../../../browser/access/texts.ts"
import { frameTexts } from "../../../browser/app/texts.ts"
import { keyDialogTexts } from "../../../browser/pages/keys/dialogTexts.ts"
import { keysTexts } from "../../../browser/pages/keys/texts.ts"
import { sessionsTexts } from "../../../browser/pages/sessions/texts.ts"
import { signInTexts } from "../../../browser/pages/signIn/texts.ts"
import { toolTexts } from "../../../browser/pages/tool/texts.ts"
import { toolsTexts } from "../../../browser/pages/tools/texts.ts"
import { usageTexts } from "../../../browser/pages/usage/texts.ts"
import { waitUntilSettled } from "../support/axe.ts"
import type { TestEnvironment } from "../support/environment.ts"

export const testSessionEnd = (environment: () => TestEnvironment): void => {
  it("keeps the user signed in if a response rejects an earlier session late", async () => {
    const account = await environment().createAccount()
    const { goTo, page } = await environment().openSignedIn(account)
    await goTo("/tools/get_price")
    const rejectedResponse = await fetch(`${environment().url}/v1/tools/get_price`, { method: "POST", body: "{}" })
    const body = await rejectedResponse.text()
    const responseReleased = Promise.withResolvers<void>()
    await page.route("**/v1/tools/get_price", async (route) => {
      await responseReleased.promise
      await route.fulfill({
        status: rejectedResponse.status,
        headers: Object.fromEntries(rejectedResponse.headers),
        body
      })
    })
    const lateResponse = page.waitForResponse((response) => response.url().endsWith("/v1/tools/get_price"))
    await page.getByRole("button", { name: toolTexts.en.run, exact: true }).click()
    await page.getByRole("button", { name: frameTexts.en.accountMenu }).click()
    await page.getByRole("menuitem", { name: frameTexts.en.signOut }).click()
    await page.getByRole("textbox", { name: signInTexts.en.key }).fill(await environment().issueKey(account))
    await page.getByRole("button", { name: signInTexts.en.useKey }).click()
    await page.getByRole("button", { name: toolTexts.en.run, exact: true }).waitFor()
    responseReleased.resolve()
    expect((await lateResponse).status()).toBe(401)
    await page.getByRole("link", { name: toolsTexts.en.title }).first().click()
    await page.getByRole("row", { name: "get_price", exact: true }).waitFor()
  })

  it("shows a new key until its dialog is closed, even if the session ends before", async () => {
    const account = await environment().createAccount()
    const { goTo, page } = await environment().openSignedIn(account)
    await goTo("/keys")
    await page.getByRole("button", { name: keysTexts.en.issue }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: keyDialogTexts.en.name }).fill("laptop")
    await dialog.getByRole("button", { name: keyDialogTexts.en.issue }).click()
    await dialog.getByText(/^tl_live_\w+$/u).waitFor()
    await page.context().clearCookies()
    const rejectedResponse = page.waitForResponse((response) => response.status() === 401)
    for (const isOffline of [true, false]) await page.context().setOffline(isOffline)
    await rejectedResponse
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await dialog.getByText(/^tl_live_\w+$/u).count()).toBe(1)
    await dialog.getByRole("button", { name: keyDialogTexts.en.done }).click()
    await page.getByRole("status").getByText(signInTexts.en.lost).waitFor()
  })

  it("shows a plan that changed after the sign-in on the pages of the account", async () => {
    const account = await environment().createAccount()
    const { goTo, page } = await environment().openSignedIn(account)
    await goTo("/tools")
    const accountButton = page.getByRole("button", { name: /^Kim/u })
    expect(await accountButton.innerText()).toContain("trader")
    await environment().changePlan(account, "spent")
    await page.getByRole("link", { name: sessionsTexts.en.title }).first().click()
    await page.getByRole("main").getByText("spent", { exact: true }).waitFor()
    expect(await accountButton.innerText()).toContain("spent")
  })
}

export const testSessions = (environment: () => TestEnvironment): void => {
  it("reject changes in a tab after its browser signed in to another account, and explain why", async () => {
    const [kim, lee] = [await environment().createAccount(), await environment().createAccount("trader", "Lee")]
    const { goTo, page } = await environment().openSignedIn(kim)
    await goTo("/keys")
    await page.getByRole("button", { name: keysTexts.en.issue }).first().click()
    await page.getByRole("textbox", { name: keyDialogTexts.en.name }).fill("laptop")
    const second = await page.context().newPage()
    await second.goto(await environment().createLink(lee))
    await second.getByRole("button", { name: signInTexts.en.signInAgain }).click()
    await second.waitForURL(`${environment().url}/app/tools`)
    const otherAccountMessage = page.getByRole("alert").getByText(accessWords.en.other("Lee", lee))
    const issue = page.getByRole("dialog").getByRole("button", { name: keyDialogTexts.en.issue })
    // The click can fail, because an earlier request of the page may detect the other account and remove the button.
    const nextClick = issue.click({ timeout: 5_000 }).catch(() => undefined)
    await otherAccountMessage.waitFor()
    await nextClick
    await page.getByText(accessWords.en.otherDetail("Kim", kim)).waitFor()
    const { keys } = await (await second.request.get("/v1/account/keys")).json()
    expect(keys).toEqual([])
    await page.getByRole("button", { name: frameTexts.en.reload }).click()
    await page.getByRole("button", { name: /^Lee trader/u }).waitFor()
  })

  it("sign out even if the session was ended elsewhere", async () => {
    const account = await environment().createAccount()
    const [one, other] = [await environment().openSignedIn(account), await environment().openSignedIn(account)]
    for (const { goTo, page } of [one, other]) {
      await goTo("/keys")
      await waitUntilSettled(page)
    }
    const menu = other.page.getByRole("button", { name: frameTexts.en.accountMenu })
    await menu.click()
    // The test blocks all other requests, so that only the click can detect the end of the session.
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
    await other.page.getByRole("menuitem", { name: frameTexts.en.signOut }).click()
    await other.page.getByRole("heading", { level: 1, name: signInTexts.en.title }).waitFor()
    expect(await other.page.getByText(signInTexts.en.lost).count()).toBe(0)
  })

  it("end from another session, and report it at their next action", async () => {
    const account = await environment().createAccount()
    const [one, other] = [
      await environment().openSignedIn(account),
      await environment().openSignedIn(account, { screen: "phone" })
    ]
    await other.goTo("/keys")
    await other.page.getByRole("heading", { name: keysTexts.en.title, level: 1 }).waitFor()
    await one.goTo("/sessions")
    await one.page.getByRole("button", { name: /^End the session of/u }).click()
    await one.page.getByText(sessionsTexts.en.endedOne).waitFor()
    const signedOutMessage = other.page.getByRole("status").getByText(signInTexts.en.lost)
    const nextClick = other.page.getByRole("navigation").getByRole("link", { name: usageTexts.en.title }).or(
      other.page.getByRole("button", { name: keysTexts.en.issue }).first()
    ).last()
    // The click can fail, because the page's notification stream may detect the end of the session first and remove the
    // button.
    const clicked = nextClick.click({ timeout: 5_000 }).catch(() => undefined)
    await signedOutMessage.waitFor()
    await clicked
    await one.page.getByRole("radio", { name: new RegExp(`^${sessionsTexts.en.past}`, "u") }).click()
    await one.page.getByText(sessionsTexts.en.revoked).filter({ visible: true }).waitFor()
    expect(await one.page.getByRole("row").count()).toBe(2)
  })
}

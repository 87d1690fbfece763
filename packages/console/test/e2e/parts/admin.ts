import { isFullRun } from "@tapeline/testing/fullRun"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { accountTexts } from "../../../browser/pages/admin/accountTexts.ts"
import { actionTexts } from "../../../browser/pages/admin/actionTexts.ts"
import { creditTexts } from "../../../browser/pages/admin/creditTexts.ts"
import { reportTexts } from "../../../browser/pages/admin/reportTexts.ts"
import { adminTexts } from "../../../browser/pages/admin/texts.ts"
import { widgetTexts } from "../../../browser/widgets/texts.ts"
import { dialogRules, findViolations } from "../support/axe.ts"
import type { TestEnvironment } from "../support/environment.ts"
import { fillFields, readFieldError } from "../support/forms.ts"
import type { PopulatedAccount } from "../support/populateAccount.ts"
import { flawless, inspectPage, isDrawn } from "./everyPage.ts"

const [texts, accounts, actions, credits] = [adminTexts.en, accountTexts.en, actionTexts.en, creditTexts.en]
const reports = reportTexts.en

const signIn = async (page: Page, token: string): Promise<void> => {
  await page.locator("input[type=password]").fill(token)
  await page.locator("[type=submit]").click()
}

/** Lets the service receive the first request with a method, and discards the response. */
const loseFirstResponse = async (page: Page, method: string): Promise<void> => {
  let isLost = false
  await page.route("**/admin/v1/**", async (route) => {
    if (isLost || route.request().method() !== method) return route.continue()
    isLost = true
    await route.fetch()
    return route.abort("connectionreset")
  })
}

const readEventTypes = async ({ sendAdmin }: TestEnvironment, account: number): Promise<ReadonlyArray<string>> => {
  const { events } = await sendAdmin("GET", `/events?account=${account}`)
  return Array.isArray(events) ? events.map(({ type }) => String(type)) : []
}

export const testAdminArea = (environment: () => TestEnvironment): void => {
  it("signs in with a token, shows missing scopes, and ends when the token is revoked", async () => {
    const { createAccount, openVisitor, sendAdmin } = environment()
    const account = await createAccount("trader", "Ada")
    const { id, token } = await sendAdmin("POST", "/tokens", { name: `reader ${account}`, scopes: ["read"] })
    const { goTo, load, page } = await openVisitor()
    await load("/admin")
    await signIn(page, "tl_admin_wrong")
    expect(await readFieldError(page.locator("input[type=password]"))).toContain(texts.tokenUnknown)
    await signIn(page, String(token))
    await page.getByRole("heading", { name: accounts.title }).waitFor()
    const stored = await page.evaluate(() =>
      JSON.stringify([
        ...Object.entries(localStorage),
        ...Object.entries(sessionStorage),
        document.cookie,
        location.href
      ])
    )
    expect(stored).not.toContain(String(token))

    await goTo(`/admin/accounts/${account}`)
    await page.getByRole("button", { name: actions.suspend }).click()
    const dialog = page.getByRole("dialog")
    expect(await dialog.getByRole("heading").innerText()).toBe(actions.suspendTitle("Ada", account))
    await dialog.getByRole("button", { name: actions.suspend }).click()
    await dialog.getByText(widgetTexts.en.scopeMissing).waitFor()
    await dialog.getByText("`write`").waitFor()
    await page.keyboard.press("Escape")
    await goTo("/admin/health")
    await page.getByText(widgetTexts.en.scopeMissing).waitFor()
    await page.getByText("`metrics`").waitFor()

    await goTo("/admin/usage")
    const downloaded = page.waitForEvent("download")
    await page.getByRole("button", { name: reports.download }).click()
    expect((await downloaded).suggestedFilename()).toMatch(/^usage-\d{4}-\d{2}-by-account\.csv$/u)

    await sendAdmin("DELETE", `/tokens/${String(id)}`)
    await goTo("/admin/events")
    await page.getByText(texts.endedRejected).waitFor()
    await goTo("/admin/accounts")
    await page.getByRole("heading", { name: texts.title }).waitFor()
  })

  it.runIf(isFullRun)("makes a change once, after a double click and a lost response", async () => {
    const { adminToken, createAccount, openVisitor } = environment()
    const account = await createAccount("trader", "Ada")
    const { goTo, load, page } = await openVisitor()
    await load("/admin")
    await signIn(page, adminToken)
    await goTo(`/admin/accounts/${account}`)
    await loseFirstResponse(page, "POST")
    await page.getByRole("button", { name: credits.adjust }).click()
    const form = page.getByRole("dialog")
    await form.locator("[type=submit]").click()
    expect(await readFieldError(form.getByRole("textbox", { name: credits.amount }))).toContain(credits.amountWrong)
    await fillFields(form, { [credits.reason]: "Welcome" })
    await form.getByRole("textbox", { name: credits.amount }).fill("500")
    await form.locator("[type=submit]").dblclick()
    await form.waitFor({ state: "detached" })
    await page.getByRole("row", { name: /Grant/u }).filter({ hasText: "500" }).waitFor()
    await page.unrouteAll({ behavior: "ignoreErrors" })

    await loseFirstResponse(page, "PATCH")
    await page.getByRole("button", { name: actions.suspend }).click()
    const confirmation = page.getByRole("dialog")
    await confirmation.getByRole("button", { name: actions.suspend }).dblclick()
    await confirmation.waitFor({ state: "detached" })
    await page.getByRole("button", { name: actions.reactivate }).waitFor()
    expect(await readEventTypes(environment(), account)).toEqual([
      "account.created",
      "credits.adjusted",
      "account.suspended"
    ])
    await page.unrouteAll({ behavior: "ignoreErrors" })
  })
}

const adminPaths = (account: number): ReadonlyArray<string> => [
  "/admin/accounts",
  `/admin/accounts/${account}`,
  "/admin/usage",
  "/admin/events?period=all",
  "/admin/health"
]

/** Checks the admin pages, on a phone in Russian. The full test run also checks a wide screen, the tabs and dialogs. */
export const testAdminPages = (environment: () => TestEnvironment, getPopulated: () => PopulatedAccount): void => {
  it("has no axe violation, overflow or English word in the admin area on a phone in Russian", async () => {
    const { adminToken, openVisitor } = environment()
    const { goTo, load, page } = await openVisitor({ language: "ru", screen: "phone" })
    await load("/admin")
    expect.soft(await inspectPage(page, 0)).toEqual(flawless)
    await signIn(page, adminToken)
    await page.getByRole("navigation").filter({ visible: true }).first().waitFor()
    for (const [i, path] of adminPaths(getPopulated().account).entries()) {
      if (!isDrawn(i)) continue
      await goTo(path)
      expect.soft({ path, ...await inspectPage(page, i) }).toEqual({ path, ...flawless })
    }
  })

  it.runIf(isFullRun)("has no axe violation in the tabs and dialogs of an account", async () => {
    const { adminToken, openVisitor } = environment()
    const { goTo, load, page } = await openVisitor()
    await load("/admin")
    await signIn(page, adminToken)
    for (const [i, path] of adminPaths(getPopulated().account).entries()) {
      await goTo(path)
      expect.soft({ path, found: await findViolations(page, i % 2 === 0 ? "light" : "dark") })
        .toEqual({ path, found: [] })
    }
    await goTo(`/admin/accounts/${getPopulated().account}`)
    for (const name of [accounts.keys, accounts.answers, accounts.tasks, accounts.calls, accounts.adjustments]) {
      await page.getByRole("tab", { name, exact: true }).click()
      expect.soft({ name, found: await findViolations(page) }).toEqual({ name, found: [] })
    }
    for (const name of [credits.adjust, actions.suspend, actions.revokeAll, actions.close]) {
      await page.getByRole("button", { name, exact: true }).click()
      expect.soft({ name, found: await findViolations(page, "light", dialogRules) }).toEqual({ name, found: [] })
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }
  })
}

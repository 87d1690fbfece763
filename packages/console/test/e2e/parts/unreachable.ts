import { expect, it } from "vitest"
import { toolTexts } from "../../../browser/pages/tool/texts.ts"
import { widgetTexts } from "../../../browser/widgets/texts.ts"
import type { TestEnvironment } from "../support/environment.ts"

export const testUnreachable = (environment: () => TestEnvironment): void => {
  it("is reported if the network is lost, and can be retried if the account cannot be read", async () => {
    const { goTo, load, page } = await environment().openSignedIn(await environment().createAccount())
    await goTo("/tools/get_price")
    const run = page.getByRole("button", { name: toolTexts.en.run, exact: true })
    await run.waitFor()
    await page.context().setOffline(true)
    await run.click()
    await page.getByRole("alert").getByText(widgetTexts.en.offline).waitFor()
    await page.context().setOffline(false)
    await page.route("**/v1/account", (route) => route.abort())
    await load("/keys")
    const retryButton = page.getByRole("button", { name: widgetTexts.en.retry })
    await retryButton.waitFor()
    await page.unroute("**/v1/account")
    await retryButton.click()
    await page.getByRole("navigation").first().waitFor()
    expect(page.url()).toBe(`${environment().url}/app/keys`)
  })

  it.each(["index", "start", "app"])("loads the document again if the script %s is missing once", async (script) => {
    const { page } = await environment().openSignedIn(await environment().createAccount())
    let documents = 0
    await page.route("**/app/keys", (route) => {
      documents++
      return route.continue()
    })
    await page.route(
      `**/assets/${script}-*.js`,
      (route) => documents === 1 ? route.fulfill({ status: 404 }) : route.continue()
    )
    await page.goto(`${environment().url}/app/keys`, { waitUntil: "commit" })
    await page.locator("#root:not([aria-busy])").waitFor()
    expect(documents).toBe(2)
  })
}

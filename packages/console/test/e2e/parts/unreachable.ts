import { expect, it } from "vitest"
import { toolWords } from "../../../browser/pages/tool/words.ts"
import { widgetWords } from "../../../browser/widgets/words.ts"
import type { House } from "../support/house.ts"

export const unreachable = (house: () => House): void => {
  it("a page reports a lost network, and offers to try again when the account cannot be read", async () => {
    const { go, load, page } = await house().signedIn(await house().account())
    await go("/tools/get_price")
    const run = page.getByRole("button", { name: toolWords.en.run, exact: true })
    await run.waitFor()
    await page.context().setOffline(true)
    await run.click()
    await page.getByRole("alert").getByText(widgetWords.en.offline).waitFor()
    await page.context().setOffline(false)
    await page.route("**/v1/account", (route) => route.abort())
    await load("/keys")
    const again = page.getByRole("button", { name: widgetWords.en.again })
    await again.waitFor()
    await page.unroute("**/v1/account")
    await again.click()
    await page.getByRole("navigation").first().waitFor()
    expect(page.url()).toBe(`${house().url}/app/keys`)
  })
}

import { expect, it } from "vitest"
import { accessWords } from "../../../browser/access/words.ts"
import { frameWords } from "../../../browser/app/words.ts"
import { sessionsWords } from "../../../browser/pages/sessions/words.ts"
import { refusalWords } from "../../../browser/pages/signIn/refusals.ts"
import { signInWords } from "../../../browser/pages/signIn/words.ts"
import { toolsWords } from "../../../browser/pages/tools/words.ts"
import { full } from "../support/full.ts"
import type { House } from "../support/house.ts"
import { providerLabel } from "../support/provider.ts"

export const byLink = (house: () => House): void => {
  it("a link signs in, stands in no address afterwards, and signs nobody in again: that is said in plain words", async () => {
    const account = await house().account()
    const link = await house().link(account)
    const first = await house().visitor()
    // Browsers log each failed response to their console as an error.
    const failed: Array<string> = []
    first.page.on("response", (response) => void (response.status() >= 400 && failed.push(response.url())))
    await first.signIn(link)
    await first.page.getByRole("heading", { level: 1, name: toolsWords.en.title }).waitFor()
    expect(failed).toEqual([])
    expect(first.page.url()).toBe(`${house().url}/app/tools`)
    for (const language of full ? ["en", "ko", "ru"] as const : ["en"] as const) {
      const second = await house().visitor({ language })
      await second.useLink(link)
      const alert = second.page.getByRole("alert")
      await alert.getByRole("heading", { name: signInWords[language].refused }).waitFor()
      expect(await alert.getByRole("paragraph").innerText()).toMatch(/used|사용|использован/u)
      expect(second.page.url()).not.toContain("#")
    }
  })
}

const byOtherLinks = (house: () => House): void => {
  it("a page of another site leads nobody into an account: whose session it is stays, until somebody says otherwise", async () => {
    const [kim, stranger] = [await house().account(), await house().account("spent")]
    const { page, signIn } = await house().signedIn(kim)
    const link = await house().link(stranger)
    await page.route(
      "https://elsewhere.example/",
      (route) =>
        route.fulfill({ contentType: "text/html", body: `<script>location.href = ${JSON.stringify(link)}</script>` })
    )
    const lead = async () => {
      await page.goto("https://elsewhere.example/")
      await page.getByRole("heading", { level: 1, name: signInWords.en.asked }).waitFor()
      expect(page.url()).toBe(`${house().url}/app/sign-in`)
    }
    const planOf = async () => {
      // The response has the shape that the reference documents.
      const { plan } = await (await page.request.get("/v1/account")).json() as {
        readonly plan: { readonly name: string }
      }
      return plan.name
    }
    await lead()
    await page.getByText(signInWords.en.askedAs("Kim")).waitFor()
    expect(await planOf()).toBe("trader")
    await page.getByRole("button", { name: signInWords.en.stay("Kim") }).click()
    await page.getByRole("heading", { level: 1, name: toolsWords.en.title }).waitFor()
    expect(await planOf()).toBe("trader")
    // The link was not used meanwhile.
    await signIn(link)
    expect(await planOf()).toBe("spent")
  })

  it("a link that is opened in the tab that refused another one is asked about, and signs in", async () => {
    const account = await house().account()
    const used = await house().link(account)
    await (await house().visitor()).openSession(used)
    const { page, useLink } = await house().visitor()
    await useLink(used)
    await page.getByRole("heading", { name: signInWords.en.refused }).waitFor()
    await useLink(await house().link(account))
    await page.getByRole("heading", { level: 1, name: toolsWords.en.title }).waitFor()
    expect(page.url()).toBe(`${house().url}/app/tools`)
  })
}

export const signIn = (house: () => House): void => {
  byOtherLinks(house)

  it("a session outlives a reload, and is over with a press; its pages ask for another sign-in then", async () => {
    const { load, page } = await house().signedIn(await house().account())
    await load("/keys")
    await page.reload()
    await page.getByRole("button", { name: frameWords.en.accountMenu }).click()
    await page.getByRole("menuitem", { name: frameWords.en.leave }).click()
    const asked = page.getByRole("heading", { level: 1, name: signInWords.en.title })
    await asked.waitFor()
    expect(await page.context().cookies()).toEqual([])
    await load("/usage")
    await asked.waitFor()
  })

  it("a key opens the tools in this tab alone, and no page of the account; a reload forgets it", async () => {
    const key = await house().key(await house().account())
    const { go, page } = await house().visitor()
    await go("/keys")
    await page.getByRole("textbox", { name: signInWords.en.key }).fill(key)
    await page.getByRole("button", { name: signInWords.en.use }).click()
    await page.getByText(accessWords.en.needed).waitFor()
    await page.getByRole("link", { name: toolsWords.en.title }).first().click()
    await page.getByRole("row", { name: "get_price", exact: true }).waitFor()
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage].map(Object.entries)))
    expect(stored).not.toContain(key)
    await page.reload()
    await page.getByRole("heading", { level: 1, name: signInWords.en.title }).waitFor()
  })

  it("whom a provider knows gets in by its button, under their own name; who declines there is told so", async () => {
    const { go, page } = await house().visitor()
    await go("/keys")
    const button = page.getByRole("link", { name: signInWords.en.byProvider(providerLabel) })
    await button.click()
    await page.getByRole("link", { name: "Cancel" }).click()
    await page.getByRole("alert").getByText(refusalWords.en.denied).waitFor()
    await button.click()
    await page.locator("[name=login]").fill("ada")
    await page.locator("[name=password]").fill("x")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: `Trader ada trader: ${frameWords.en.accountMenu}` }).waitFor()
    expect(new URL(page.url()).origin).toBe(house().url)
    await go("/sessions")
    await page.getByRole("row").getByText(sessionsWords.en.openid).waitFor()
  })
}

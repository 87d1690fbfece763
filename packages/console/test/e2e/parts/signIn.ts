import { expect, it } from "vitest"
import { accessWords } from "../../../browser/access/texts.ts"
import { frameTexts } from "../../../browser/app/texts.ts"
import { sessionsTexts } from "../../../browser/pages/sessions/texts.ts"
import { rejectionTexts } from "../../../browser/pages/signIn/rejections.ts"
import { signInTexts } from "../../../browser/pages/signIn/texts.ts"
import { toolsTexts } from "../../../browser/pages/tools/texts.ts"
import type { TestEnvironment } from "../support/environment.ts"
import { isFullRun } from "../support/isFullRun.ts"
import { providerLabel } from "../support/provider.ts"

export const testLinkSignIn = (environment: () => TestEnvironment): void => {
  it("a link signs in, stands in no address afterwards, and signs nobody in again: that is said in plain words", async () => {
    const account = await environment().createAccount()
    const link = await environment().createLink(account)
    const first = await environment().openVisitor()
    // Browsers log each failed response to their console as an error.
    const failed: Array<string> = []
    first.page.on("response", (response) => void (response.status() >= 400 && failed.push(response.url())))
    await first.signIn(link)
    await first.page.getByRole("heading", { level: 1, name: toolsTexts.en.title }).waitFor()
    expect(failed).toEqual([])
    expect(first.page.url()).toBe(`${environment().url}/app/tools`)
    for (const language of isFullRun ? ["en", "ko", "ru"] as const : ["en"] as const) {
      const second = await environment().openVisitor({ language })
      await second.useLink(link)
      const alert = second.page.getByRole("alert")
      await alert.getByRole("heading", { name: signInTexts[language].linkRejected }).waitFor()
      expect(await alert.getByRole("paragraph").innerText()).toMatch(/used|사용|использован/u)
      expect(second.page.url()).not.toContain("#")
    }
  })
}

const testForeignLinks = (environment: () => TestEnvironment): void => {
  it("a page of another site leads nobody into an account: whose session it is stays, until somebody says otherwise", async () => {
    const [kim, stranger] = [await environment().createAccount(), await environment().createAccount("spent")]
    const { page, signIn } = await environment().openSignedIn(kim)
    const link = await environment().createLink(stranger)
    await page.route(
      "https://elsewhere.example/",
      (route) =>
        route.fulfill({ contentType: "text/html", body: `<script>location.href = ${JSON.stringify(link)}</script>` })
    )
    const openForeignPage = async () => {
      await page.goto("https://elsewhere.example/")
      await page.getByRole("heading", { level: 1, name: signInTexts.en.confirmLink }).waitFor()
      expect(page.url()).toBe(`${environment().url}/app/sign-in`)
    }
    const readPlanName = async () => {
      // The response has the shape that the reference documents.
      const { plan } = await (await page.request.get("/v1/account")).json() as {
        readonly plan: { readonly name: string }
      }
      return plan.name
    }
    await openForeignPage()
    await page.getByText(signInTexts.en.confirmLinkAs("Kim")).waitFor()
    expect(await readPlanName()).toBe("trader")
    await page.getByRole("button", { name: signInTexts.en.staySignedIn("Kim") }).click()
    await page.getByRole("heading", { level: 1, name: toolsTexts.en.title }).waitFor()
    expect(await readPlanName()).toBe("trader")
    // The link was not used meanwhile.
    await signIn(link)
    expect(await readPlanName()).toBe("spent")
  })

  it("a link that is opened in the tab that refused another one is asked about, and signs in", async () => {
    const account = await environment().createAccount()
    const used = await environment().createLink(account)
    await (await environment().openVisitor()).openSession(used)
    const { page, useLink } = await environment().openVisitor()
    await useLink(used)
    await page.getByRole("heading", { name: signInTexts.en.linkRejected }).waitFor()
    await useLink(await environment().createLink(account))
    await page.getByRole("heading", { level: 1, name: toolsTexts.en.title }).waitFor()
    expect(page.url()).toBe(`${environment().url}/app/tools`)
  })
}

export const signIn = (environment: () => TestEnvironment): void => {
  testForeignLinks(environment)

  it("a session outlives a reload, and is over with a press; its pages ask for another sign-in then", async () => {
    const { load, page } = await environment().openSignedIn(await environment().createAccount())
    await load("/keys")
    await page.reload()
    await page.getByRole("button", { name: frameTexts.en.accountMenu }).click()
    await page.getByRole("menuitem", { name: frameTexts.en.signOut }).click()
    const signInHeading = page.getByRole("heading", { level: 1, name: signInTexts.en.title })
    await signInHeading.waitFor()
    expect(await page.context().cookies()).toEqual([])
    await load("/usage")
    await signInHeading.waitFor()
  })

  it("a key opens the tools in this tab alone, and no page of the account; a reload forgets it", async () => {
    const key = await environment().issueKey(await environment().createAccount())
    const { go, page } = await environment().openVisitor()
    await go("/keys")
    await page.getByRole("textbox", { name: signInTexts.en.key }).fill(key)
    await page.getByRole("button", { name: signInTexts.en.useKey }).click()
    await page.getByText(accessWords.en.needed).waitFor()
    await page.getByRole("link", { name: toolsTexts.en.title }).first().click()
    await page.getByRole("row", { name: "get_price", exact: true }).waitFor()
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage].map(Object.entries)))
    expect(stored).not.toContain(key)
    await page.reload()
    await page.getByRole("heading", { level: 1, name: signInTexts.en.title }).waitFor()
  })

  it("whom a provider knows gets in by its button, under their own name; who declines there is told so", async () => {
    const { go, page } = await environment().openVisitor()
    await go("/keys")
    const button = page.getByRole("link", { name: signInTexts.en.byProvider(providerLabel) })
    await button.click()
    await page.getByRole("link", { name: "Cancel" }).click()
    await page.getByRole("alert").getByText(rejectionTexts.en.denied).waitFor()
    await button.click()
    await page.locator("[name=login]").fill("ada")
    await page.locator("[name=password]").fill("x")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: `Trader ada trader: ${frameTexts.en.accountMenu}` }).waitFor()
    expect(new URL(page.url()).origin).toBe(environment().url)
    await go("/sessions")
    await page.getByRole("row").getByText(sessionsTexts.en.openid).waitFor()
  })
}

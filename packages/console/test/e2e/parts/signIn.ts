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
  it("signs in once, removes the link from the address, and explains why it is rejected again", async () => {
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
  it("keeps the current session if another site opens a link, until the user confirms the link", async () => {
    const [kim, spentAccount] = [await environment().createAccount(), await environment().createAccount("spent")]
    const { page, signIn } = await environment().openSignedIn(kim)
    const link = await environment().createLink(spentAccount)
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
    await signIn(link)
    expect(await readPlanName()).toBe("spent")
  })

  it("signs in by a link in a tab that rejected another link", async () => {
    const account = await environment().createAccount()
    const usedLink = await environment().createLink(account)
    await (await environment().openVisitor()).openSession(usedLink)
    const { page, useLink } = await environment().openVisitor()
    await useLink(usedLink)
    await page.getByRole("heading", { name: signInTexts.en.linkRejected }).waitFor()
    await useLink(await environment().createLink(account))
    await page.getByRole("heading", { level: 1, name: toolsTexts.en.title }).waitFor()
    expect(page.url()).toBe(`${environment().url}/app/tools`)
  })
}

export const signIn = (environment: () => TestEnvironment): void => {
  testForeignLinks(environment)

  it("keeps a session after a reload, and requires a sign-in after the user signed out", async () => {
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

  it("opens the tools by a key, but no page of the account, and forgets the key on a reload", async () => {
    const key = await environment().issueKey(await environment().createAccount())
    const { goTo, page } = await environment().openVisitor()
    await goTo("/keys")
    await page.getByRole("textbox", { name: signInTexts.en.key }).fill(key)
    await page.getByRole("button", { name: signInTexts.en.useKey }).click()
    await page.getByText(accessWords.en.needed).waitFor()
    await page.getByRole("link", { name: toolsTexts.en.title }).first().click()
    await page.getByRole("row", { name: "get_price", exact: true }).waitFor()
    const storedState = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage].map(Object.entries)))
    expect(storedState).not.toContain(key)
    await page.reload()
    await page.getByRole("heading", { level: 1, name: signInTexts.en.title }).waitFor()
  })

  it("signs in by a provider under the user's name there, and reports a cancelled sign-in", async () => {
    const { goTo, page } = await environment().openVisitor()
    await goTo("/keys")
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
    await goTo("/sessions")
    await page.getByRole("row").getByText(sessionsTexts.en.openid).waitFor()
  })
}

import { isFullRun } from "@tapeline/testing/fullRun"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { accessWords } from "../../../browser/access/texts.ts"
import { frameTexts } from "../../../browser/app/texts.ts"
import { keyDialogTexts } from "../../../browser/pages/keys/dialogTexts.ts"
import { keysTexts } from "../../../browser/pages/keys/texts.ts"
import { sessionsTexts } from "../../../browser/pages/sessions/texts.ts"
import { rejectionTexts } from "../../../browser/pages/signIn/rejections.ts"
import { signInTexts } from "../../../browser/pages/signIn/texts.ts"
import { toolsTexts } from "../../../browser/pages/tools/texts.ts"
import type { TestEnvironment } from "../support/environment.ts"
import { providerLabel } from "../support/provider.ts"

export const testLinkSignIn = (environment: () => TestEnvironment): void => {
  it("signs in once, removes the link from the address, and explains why it is rejected again", async () => {
    const account = await environment().createAccount()
    const link = await environment().createLink(account)
    const first = await environment().openVisitor()
    // The test collects failed responses, because a browser logs each failed response as an error in the browser's
    // console.
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

/** Fills in the dialog for a new key with a write scope, and submits the dialog. */
const issueWritingKey = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: keysTexts.en.issue }).first().click()
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("textbox", { name: keyDialogTexts.en.name }).fill("bot")
  await dialog.getByRole("checkbox", { name: /write:personal/u }).check({ force: true })
  await dialog.getByRole("button", { name: keyDialogTexts.en.issue }).click()
}

/** Answers requests for a new key as the service does ten minutes after the sign-in. */
const rejectNewKeys = async (page: Page): Promise<void> =>
  void await page.route(
    "**/v1/account/keys",
    (route) =>
      route.request().method() !== "POST" ? route.continue() : route.fulfill({
        status: 403,
        contentType: "application/problem+json",
        body: JSON.stringify({
          type: "urn:tapeline:problem:sign_in_again",
          title: "Forbidden",
          status: 403,
          detail: "This action needs a sign-in within the last 10 minutes.",
          code: "sign_in_again",
          request_id: "r1"
        })
      })
  )

export const testRepeatedLinkSignIn = (environment: () => TestEnvironment): void => {
  it("asks for a new link before a sensitive action, and returns to the page after the sign-in", async () => {
    const account = await environment().createAccount()
    const { goTo, page, signIn } = await environment().openSignedIn(account)
    await goTo("/keys")
    await rejectNewKeys(page)
    await issueWritingKey(page)
    await page.getByRole("alert").getByText("This action needs a sign-in within the last 10 minutes.").waitFor()
    await page.getByText(accessWords.en.againByLink).waitFor()
    await page.unrouteAll()
    await signIn(await environment().createLink(account))
    await page.getByRole("heading", { level: 1, name: keysTexts.en.title }).waitFor()
    expect(page.url()).toBe(`${environment().url}/app/keys`)
    await issueWritingKey(page)
    await page.getByRole("region", { name: keyDialogTexts.en.shellExample }).waitFor()
  })
}

const signInAtProvider = async (page: Page, login: string): Promise<void> => {
  await page.locator("[name=login]").fill(login)
  await page.locator("[name=password]").fill("x")
  await page.keyboard.press("Enter")
}

const testRepeatedProviderSignIn = (environment: () => TestEnvironment): void => {
  it("signs in again at the provider, which remembers the user, and returns to the page", async () => {
    const { goTo, page } = await environment().openVisitor()
    await goTo("/keys")
    await page.getByRole("link", { name: signInTexts.en.byProvider(providerLabel) }).click()
    await signInAtProvider(page, "boole")
    await page.getByRole("heading", { level: 1, name: toolsTexts.en.title }).waitFor()
    await goTo("/keys")
    await rejectNewKeys(page)
    await issueWritingKey(page)
    await page.unrouteAll()
    await page.getByRole("button", { name: accessWords.en.againByProvider(providerLabel) }).click()
    await signInAtProvider(page, "boole")
    await page.getByRole("heading", { level: 1, name: keysTexts.en.title }).waitFor()
    expect(page.url()).toBe(`${environment().url}/app/keys`)
    await issueWritingKey(page)
    await page.getByRole("region", { name: keyDialogTexts.en.shellExample }).waitFor()
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
      // The heading is part of the HTML. The scripts remove the credential from the address.
      await page.waitForURL(`${environment().url}/app/sign-in`)
    }
    const readPlanName = async () => {
      // The cast is safe because the API reference documents the format of the response.
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
  testRepeatedProviderSignIn(environment)

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
    await signInAtProvider(page, "ada")
    await page.getByRole("button", { name: `Trader ada trader: ${frameTexts.en.accountMenu}` }).waitFor()
    expect(new URL(page.url()).origin).toBe(environment().url)
    await goTo("/sessions")
    await page.getByRole("row").getByText(sessionsTexts.en.openid).waitFor()
  })
}

import type { Language } from "@tapeline/core/specifications"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { signInPath } from "../../../browser/pages/signIn/link.ts"
import { signInTexts } from "../../../browser/pages/signIn/texts.ts"
import { basePath, toAddress } from "../../../browser/router/route.ts"

export interface VisitOptions {
  readonly language?: Language
  readonly screen?: "wide" | "phone"
  readonly theme?: "light" | "dark"
}

export interface Visitor {
  readonly page: Page
  readonly visit: VisitOptions
  /**
   * Returns and clears the collected faults: script errors, violations of the content security policy, and warnings in
   * the browser's console.
   */
  readonly takeFaults: () => ReadonlyArray<string>
  /** Opens a page of the console, such as `/keys`, without a reload if the console is loaded. */
  readonly goTo: (path: string) => Promise<void>
  readonly load: (path: string) => Promise<void>
  readonly useLink: (link: string) => Promise<void>
  readonly signIn: (link: string) => Promise<void>
  /** Signs in with a sign-in link through a direct request, without opening a page. */
  readonly openSession: (link: string) => Promise<void>
  /** Resets the browser context. If `reset` returns false, the context must be closed. */
  readonly reset: () => Promise<boolean>
}

const screens = {
  wide: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
} as const satisfies Record<string, BrowserContextOptions>

/**
 * Returns whether a message in the browser's console is the browser's own report of a failed response. The visitor
 * ignores the browser's own reports, because the pages themselves show failed responses.
 */
const isNetworkMessage = (text: string): boolean => text.startsWith("Failed to load resource:")

const collectFaults = async (page: Page): Promise<Array<string>> => {
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(`error: ${error.stack ?? error.message}`))
  page.on("console", (message) => {
    const isProblem = message.type() === "error" || message.type() === "warning"
    if (isProblem && !isNetworkMessage(message.text())) faults.push(`${message.type()}: ${message.text()}`)
  })
  await page.exposeFunction("tellViolation", (text: string) => void faults.push(`policy: ${text}`))
  await page.addInitScript(() =>
    addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => {
      // The cast is safe because `exposeFunction` has added the function to the page.
      const { tellViolation: reportViolation } = globalThis as unknown as {
        readonly tellViolation: (text: string) => void
      }
      reportViolation(`${violatedDirective} ${blockedURI} at ${location.pathname}`)
    })
  )
  return faults
}

/** Opens a console path without a reload, as the browser's back and forward buttons do. */
const navigateWithin = (page: Page, path: string): Promise<void> =>
  page.evaluate((address) => {
    history.pushState(null, "", address)
    dispatchEvent(new PopStateEvent("popstate"))
  }, toAddress(path))

const resetContext = async (page: Page, theme: VisitOptions["theme"]): Promise<void> => {
  const context = page.context()
  await Promise.all(context.pages().filter((other) => other !== page).map((other) => other.close()))
  await page.unrouteAll({ behavior: "ignoreErrors" })
  await context.setOffline(false)
  await page.emulateMedia({ colorScheme: theme ?? "light" })
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await page.goto("about:blank")
  await context.clearCookies()
}

export const openVisitorContext = async (browser: Browser, url: string, visit: VisitOptions): Promise<Visitor> => {
  const { language = "en", screen = "wide", theme = "light" } = visit
  const context = await browser.newContext({
    ...screens[screen],
    baseURL: url,
    locale: { en: "en-GB", ko: "ko-KR", ru: "ru-RU" }[language],
    timezoneId: "Asia/Seoul",
    colorScheme: theme,
    // Animations are off, so that measured positions are stable.
    reducedMotion: "reduce"
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const faults = await collectFaults(page)
  const useLink = async (link: string) => {
    await page.goto(link)
    const { signIn, signInAgain } = signInTexts[language]
    await page.getByRole("button", { name: new RegExp(`^(${signIn}|${signInAgain})$`, "u") }).click()
  }
  const load = async (path: string) => void await page.goto(toAddress(path))
  return {
    page,
    visit,
    takeFaults: () => faults.splice(0),
    goTo: (path) => page.url().startsWith(`${url}${basePath}/`) ? navigateWithin(page, path) : load(path),
    load,
    useLink,
    signIn: async (link) => {
      await useLink(link)
      await page.waitForURL(({ pathname }) => !pathname.endsWith(signInPath))
    },
    openSession: async (address) => {
      const answer = await context.request.post("/v1/account/sign-in", {
        headers: { origin: url, "x-tapeline-console": "1" },
        data: { link: new URL(address).hash.slice(1) }
      })
      if (!answer.ok()) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`)
    },
    reset: async () => {
      if (!page.url().startsWith(`${url}/`)) return false
      await resetContext(page, visit.theme)
      return true
    }
  }
}

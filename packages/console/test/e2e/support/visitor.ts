import type { Language } from "@tapeline/core/specifications"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { signInPath } from "../../../browser/pages/signIn/link.ts"
import { signInWords } from "../../../browser/pages/signIn/words.ts"
import { addressOf, base } from "../../../browser/router/route.ts"

/** How somebody comes: with which language, on which screen, in which theme. */
export interface Visit {
  readonly language?: Language
  readonly screen?: "wide" | "phone"
  readonly theme?: "light" | "dark"
}

/** Somebody at a browser of their own. */
export interface Visitor {
  readonly page: Page
  readonly visit: Visit
  /**
   * Returns and forgets what no page may have: script errors, violations of the content security policy, and warnings
   * in the browser's console.
   */
  readonly takeFaults: () => ReadonlyArray<string>
  /** Goes to a page of the console, `/keys`; where it is loaded already, within it: what it was told it keeps. */
  readonly go: (path: string) => Promise<void>
  /** Loads a page of the console anew. */
  readonly load: (path: string) => Promise<void>
  /** Opens a link that signs in, and says yes to it. */
  readonly useLink: (link: string) => Promise<void>
  /** The same, and waits until somebody is signed in. */
  readonly signIn: (link: string) => Promise<void>
  /** Uses a link by a request, without a page. */
  readonly openSession: (link: string) => Promise<void>
  /** Makes the browser context as good as new. Returns false if it cannot: the context must be closed. */
  readonly reset: () => Promise<boolean>
}

const screens = {
  wide: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
} as const satisfies Record<string, BrowserContextOptions>

/** The browser itself writes that an answer was no success; what pages make of that they show. */
const isOfTheNetwork = (text: string): boolean => text.startsWith("Failed to load resource:")

const listen = async (page: Page): Promise<Array<string>> => {
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(`error: ${error.stack ?? error.message}`))
  page.on("console", (message) => {
    const isLoud = message.type() === "error" || message.type() === "warning"
    if (isLoud && !isOfTheNetwork(message.text())) faults.push(`${message.type()}: ${message.text()}`)
  })
  await page.exposeFunction("tellViolation", (text: string) => void faults.push(`policy: ${text}`))
  await page.addInitScript(() =>
    addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => {
      // What is exposed to pages is known to the test alone.
      const { tellViolation } = globalThis as unknown as { readonly tellViolation: (text: string) => void }
      tellViolation(`${violatedDirective} ${blockedURI} at ${location.pathname}`)
    })
  )
  return faults
}

/** Goes to a path as the browser's own ways back and forth do. */
const within = (page: Page, path: string): Promise<void> =>
  page.evaluate((address) => {
    history.pushState(null, "", address)
    dispatchEvent(new PopStateEvent("popstate"))
  }, addressOf(path))

/** Removes what a test left in a browser context. */
const clear = async (page: Page, theme: Visit["theme"]): Promise<void> => {
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

/** Opens a browser of its own: nothing in it is another's. */
export const enter = async (browser: Browser, url: string, visit: Visit): Promise<Visitor> => {
  const { language = "en", screen = "wide", theme = "light" } = visit
  const context = await browser.newContext({
    ...screens[screen],
    baseURL: url,
    locale: { en: "en-GB", ko: "ko-KR", ru: "ru-RU" }[language],
    timezoneId: "Asia/Seoul",
    colorScheme: theme,
    // What moves is measured where it stands still.
    reducedMotion: "reduce"
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const faults = await listen(page)
  const useLink = async (link: string) => {
    await page.goto(link)
    const { signIn, signInAnew } = signInWords[language]
    await page.getByRole("button", { name: new RegExp(`^(${signIn}|${signInAnew})$`, "u") }).click()
  }
  const load = async (path: string) => void await page.goto(addressOf(path))
  return {
    page,
    visit,
    takeFaults: () => faults.splice(0),
    go: (path) => page.url().startsWith(`${url}${base}/`) ? within(page, path) : load(path),
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
      await clear(page, visit.theme)
      return true
    }
  }
}

// Takes screenshots of every page of the console, in light and dark mode, on a wide screen and on a phone.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { findChromium, launchChromium } from "./chromium.ts"
import { root } from "./manifest.ts"
import { type ServerProcess, startServer } from "./serverProcess.ts"

const folder = join(root, "docs/pictures/console")

interface PicturedPage {
  readonly name: string
  readonly path: string
  readonly prepare?: (page: Page) => Promise<void>
}

const pages: ReadonlyArray<PicturedPage> = [
  { name: "market", path: "/market" },
  { name: "coin", path: "/market/BTC", prepare: (page) => page.locator("canvas").first().waitFor() },
  { name: "tools", path: "/tools" },
  {
    name: "tool",
    path: "/tools/get_price_history",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Run", exact: true }).click()
      await page.locator("[aria-live] table").first().waitFor()
    }
  },
  {
    name: "analyst",
    path: "/analyst",
    prepare: async (page) => {
      const [conversation] = (await (await page.request.get("/v1/agent/conversations")).json()).conversations
      await page.goto(`/app/analyst/${conversation.id}`)
      await page.getByRole("article").nth(1).waitFor()
    }
  },
  { name: "journal", path: "/journal" },
  { name: "tasks", path: "/tasks" },
  { name: "keys", path: "/keys" },
  { name: "usage", path: "/usage" },
  { name: "sessions", path: "/sessions" }
]

const screens = [
  { name: "", viewport: { width: 1440, height: 900 } },
  { name: "-phone", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }
] as const

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>
}

/** Creates sample data of a user who has used the service for some time. */
const createSampleData = async ({ url }: ServerProcess, key: string): Promise<void> => {
  const postJson = async (path: string, body: object): Promise<Answer> => {
    const response = await fetch(`${url}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return JSON.parse(await response.text())
  }
  const tool = (name: string, args: object) => postJson(`/tools/${name}`, args)
  const priceOf = async (coin: string): Promise<number> => Number((await tool("get_price", { coin })).data?.["price"])
  const positions = [
    { coin: "BTC", side: "long", size_usd: 12_000, leverage: 3, at: 0.968, stop: 0.94 },
    { coin: "ETH", side: "short", size_usd: 5_000, leverage: 2, at: 0.99, stop: 1.03 },
    { coin: "SOL", side: "long", size_usd: 3_500, leverage: 5, at: 1.012, stop: 0.97 }
  ]
  await tool("set_risk_profile", { account_usd: 50_000, risk_pct: 1 })
  for (const { at, stop, ...position } of positions) {
    const price = await priceOf(position.coin)
    const roundedPrice = (times: number) => Number((price * times).toPrecision(5))
    await tool("set_position", { ...position, entry: roundedPrice(at), stop: roundedPrice(stop) })
  }
  await tool("update_watchlist", { add: ["XRP", "DOGE", "LINK"] })
  const watch = (title: string, spec: object) => tool("create_task", { title, kind: "watch", spec })
  const btc = await priceOf("BTC")
  await watch("BTC breaks out", {
    metric: "price",
    symbol: "BTC",
    op: "cross_above",
    value: Math.ceil(btc / 900) * 1000
  })
  await watch("Anything moves by 4 %", { metric: "gap", symbol: "*", value: 4 })
  await tool("create_task", {
    title: "What moved overnight?",
    kind: "schedule",
    spec: { at: "08:00", tz_offset_hours: 9 }
  })
  for (
    const [name, args] of [["get_score", { coin: "ETH" }], ["get_derivatives", { coin: "BTC" }], ["get_liquidations", {
      coin: "BTC"
    }]] as const
  ) {
    await tool(name, args)
  }
  for (const message of ["Is SOL's funding a warning?", "How is BTC doing, and what does its funding say?"]) {
    await postJson("/agent/messages", { message })
  }
}

/** Waits until a console page has loaded completely, including the number of remaining credits. */
const waitUntilLoaded = async (page: Page): Promise<void> => {
  await page.locator("main h1").first().waitFor()
  // The screenshots need more requests than the plan's rate limit allows, so the page retries after the rate-limit
  // window.
  await page.getByText("credits left").waitFor({ state: "attached", timeout: 130_000 })
  await page.locator("[role=status][aria-label]").first().waitFor({ state: "detached" })
}

/** Takes a screenshot as WebP after two consecutive screenshots are equal, because charts are drawn in steps. */
const takePicture = async (page: Page, name: string): Promise<void> => {
  const session = await page.context().newCDPSession(page)
  const capture = async () => (await session.send("Page.captureScreenshot", { format: "webp", quality: 82 })).data
  let [previous, data] = [await capture(), await capture()]
  while (previous !== data) [previous, data] = [data, await capture()]
  await session.detach()
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, "base64"))
}

const takeAllPictures = async (browser: Browser, { url, startOutput }: ServerProcess): Promise<void> => {
  const signedOut = await browser.newContext({ baseURL: url })
  const signInPage = await signedOut.newPage()
  await signInPage.goto(/http\S+#tl_link_\w+/u.exec(startOutput)![0])
  await signInPage.getByRole("button", { name: "Sign in", exact: true }).click()
  await signInPage.waitForURL(({ pathname }) => !pathname.endsWith("/sign-in"))
  const storageState = await signedOut.storageState()
  for (const { name: screen, ...size } of screens) {
    const context = await browser.newContext({ ...size, baseURL: url, storageState, reducedMotion: "reduce" })
    const page = await context.newPage()
    for (const { prepare, name, path } of pages) {
      await page.goto(`/app${path}`)
      await waitUntilLoaded(page)
      await prepare?.(page)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        await page.evaluate("document.fonts.ready.then(() => new Promise((next) => requestAnimationFrame(next)))")
        await takePicture(page, `${name}${screen}-${colorScheme}`)
      }
      console.log(`${name}${screen}`)
    }
    await context.close()
  }
}

const chromiumPath = findChromium()
if (chromiumPath === null) throw new Error("No Chromium: install chromium, or set TEST_CHROMIUM")
const data = mkdtempSync(join(tmpdir(), "tapeline-pictures-"))
const server = await startServer({ PORT: "0", TAPELINE_DATA_DIR: data }, /#tl_link_\w+/u)
try {
  await createSampleData(server, /^ {2}(tl_live_\w+)$/mu.exec(server.startOutput)![1]!)
  mkdirSync(folder, { recursive: true })
  const browser = await launchChromium(chromiumPath)
  await takeAllPictures(browser, server).finally(() => browser.close())
} finally {
  await server.stop()
  rmSync(data, { recursive: true, force: true })
}

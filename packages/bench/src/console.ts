/**
 * Measures the console in Chromium on a slow network without a cache: the time until the heading of each page is
 * painted, the time until the scripts have taken over, and the transferred bytes. Also measures interactions on loaded
 * pages. `node src/console.ts` runs the bench.
 */
import { findChromium, launchChromium } from "@tapeline/scripts/chromium"
import { startServer } from "@tapeline/scripts/serverProcess"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { median, runConditions, table, writeSection } from "./report.ts"

const isQuick = process.argv.includes("--quick")
const rounds = isQuick ? 1 : 3
const loadBefore = loadavg()[0]!.toFixed(1)

const network = { latencyMs: 600, kilobytesPerSecond: 50 }

const networkText = `${network.kilobytesPerSecond} kB/s and ${network.latencyMs} ms latency`

/** The limits of the results. */
const maxHeadingMs = 1_000
const maxHtmlKb = 14
const maxScriptKb = 300
const maxInteractionMs = 100

const paths = [
  "/sign-in",
  "/market",
  "/market/BTC",
  "/tools",
  "/tools/get_price",
  "/analyst",
  "/keys",
  "/usage",
  "/sessions"
]

interface PageMeasurement {
  /** The time at which the heading of the page is painted. */
  readonly headingMs: number
  /** The time at which the scripts have replaced the HTML, so that buttons work. */
  readonly readyMs: number
  readonly htmlKb: number
  /** The size of the scripts in kB, without the script that draws candle charts. */
  readonly scriptKb: number
  readonly requests: number
  /** The cumulative layout shift. */
  readonly layoutShift: number
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof launchChromium>>["newPage"]>>

/** Records the times of the first heading and of the end of `aria-busy`, and the layout shifts of a page. */
const observePage = `(() => {
  const times = globalThis.benchTimes = { headingMs: undefined, readyMs: undefined, layoutShift: 0 }
  new MutationObserver(() => {
    const now = performance.now()
    if (document.querySelector("main h1")?.textContent) times.headingMs ??= now
    if (document.querySelector("#root:not([aria-busy]) main h1")) times.readyMs ??= now
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) times.layoutShift += value
  }).observe({ type: "layout-shift", buffered: true })
})()`

const measurePage = `(() => {
  const { headingMs, layoutShift, readyMs } = globalThis.benchTimes
  const [paint] = performance.getEntriesByName("first-contentful-paint")
  const [html] = performance.getEntriesByType("navigation")
  const requests = performance.getEntriesByType("resource")
  const scripts = requests.filter(({ name }) => name.endsWith(".js") && !name.includes("/CandleChart-"))
  return {
    headingMs: Math.max(headingMs, paint?.startTime ?? Infinity),
    readyMs,
    layoutShift,
    htmlKb: html.encodedBodySize / 1000,
    scriptKb: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
    requests: 1 + requests.length
  }
})()`

const chromiumPath = findChromium()
if (chromiumPath === null) throw new Error("No Chromium: install chromium, or set TEST_CHROMIUM")
const folder = mkdtempSync(join(tmpdir(), "tapeline-bench-"))
const server = await startServer({ PORT: "0", TAPELINE_DATA_DIR: join(folder, "data") }, /#tl_link_\w+/u)
const browser = await launchChromium(chromiumPath)

const signIn = async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(/http\S+#tl_link_\w+/u.exec(server.startOutput)![0])
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.waitForURL(({ pathname }) => !pathname.endsWith("/sign-in"))
  const { cookies } = await context.storageState()
  await context.close()
  return { cookies, origins: [] }
}

const openPage = async (storageState: Awaited<ReturnType<typeof signIn>> | undefined): Promise<Page> => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...(storageState === undefined ? {} : { storageState })
  })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  return page
}

/** Waits until the page shows its data: no placeholder remains. */
const waitForData = async (page: Page): Promise<void> => {
  await page.locator("#root:not([aria-busy]) main h1").first().waitFor()
  await page.locator("[role=status][aria-label]").first().waitFor({ state: "detached" })
}

const measureSlowly = async (
  path: string,
  storageState: Awaited<ReturnType<typeof signIn>> | undefined
): Promise<PageMeasurement> => {
  const page = await openPage(storageState)
  const devTools = await page.context().newCDPSession(page)
  await devTools.send("Network.enable")
  await devTools.send("Network.setCacheDisabled", { cacheDisabled: true })
  await devTools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: network.latencyMs,
    downloadThroughput: network.kilobytesPerSecond * 1000,
    uploadThroughput: network.kilobytesPerSecond * 1000
  })
  await page.addInitScript(observePage)
  await page.goto(`${server.url}/app${path}`, { waitUntil: "commit" })
  await waitForData(page)
  const measurement = await page.evaluate<PageMeasurement>(measurePage)
  await page.context().close()
  return measurement
}

/** Returns the longest time from an input to the next paint while `act` runs, in ms; 8 if no input took 16 ms. */
const measureInput = async (page: Page, act: () => Promise<void>): Promise<number> => {
  await page.evaluate(`(() => {
    globalThis.benchInputs = [8]
    globalThis.benchObserver?.disconnect()
    globalThis.benchObserver = new PerformanceObserver((list) => {
      for (const { duration, interactionId } of list.getEntries()) if (interactionId > 0) benchInputs.push(duration)
    })
    benchObserver.observe({ type: "event", durationThreshold: 16 })
  })()`)
  await act()
  // Two frames after the input, the browser has reported the input.
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
  )
  return page.evaluate<number>("Math.max(...benchInputs)")
}

const measureInteractions = async (storageState: Awaited<ReturnType<typeof signIn>>) => {
  const page = await openPage(storageState)
  const open = (name: string) => page.getByRole("navigation").first().getByRole("link", { name, exact: true }).click()
  await page.goto(`${server.url}/app/tools`)
  await waitForData(page)
  for (const name of ["Market", "Tools"]) {
    await open(name)
    await waitForData(page)
  }
  const search = page.getByRole("searchbox").first()
  const interactions: ReadonlyArray<readonly [name: string, act: () => Promise<void>]> = [
    ["type into the search of the tools", () => search.pressSequentially("price")],
    ["clear the search", () => search.fill("").then(() => search.press("Escape"))],
    ["sort the tools", () => page.getByRole("columnheader").last().click()],
    ["open the market", () => open("Market")],
    ["open the account menu", () => page.getByRole("button", { name: /settings/u }).first().click()],
    ["close the account menu", () => page.keyboard.press("Escape")]
  ]
  const results: Array<readonly [string, number]> = []
  for (const [name, act] of interactions) results.push([name, await measureInput(page, act)])
  await page.context().close()
  return results
}

const rows = new Map<string, Array<PageMeasurement>>()
const interactions = new Map<string, Array<number>>()
try {
  const storageState = await signIn()
  for (let round = 0; round < rounds; round++) {
    for (const path of paths) {
      const measurement = await measureSlowly(path, path === "/sign-in" ? undefined : storageState)
      console.log(`${path}: heading after ${measurement.headingMs.toFixed(0)} ms`)
      rows.set(path, [...rows.get(path) ?? [], measurement])
    }
    for (const [name, ms] of await measureInteractions(storageState)) {
      interactions.set(name, [...interactions.get(name) ?? [], ms])
    }
  }
} finally {
  await browser.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

const pageTable = table(
  [
    "page",
    "heading, ms",
    `of ${maxHeadingMs} ms`,
    "ready, ms",
    "HTML, kB",
    `of ${maxHtmlKb} kB`,
    "script, kB",
    `of ${maxScriptKb} kB`,
    "requests",
    "layout shift"
  ],
  [...rows].map(([path, all]) => {
    const middle = (name: keyof PageMeasurement) => median(all.map((one) => one[name]))
    return [
      `\`/app${path}\``,
      middle("headingMs").toFixed(0),
      (middle("headingMs") / maxHeadingMs).toFixed(2),
      middle("readyMs").toFixed(0),
      middle("htmlKb").toFixed(1),
      (middle("htmlKb") / maxHtmlKb).toFixed(2),
      middle("scriptKb").toFixed(0),
      (middle("scriptKb") / maxScriptKb).toFixed(2),
      middle("requests").toFixed(0),
      middle("layoutShift").toFixed(3)
    ]
  })
)

const interactionTable = table(
  ["interaction", "next paint, ms", `of ${maxInteractionMs} ms`],
  [...interactions].map(([name, all]) => [name, median(all).toFixed(0), (median(all) / maxInteractionMs).toFixed(2)])
)

const section = `## The console

${
  runConditions(new Date())
}, Chromium ${browser.version()}, load average before the run ${loadBefore}. Medians of ${rounds}
page views without a cache on an emulated network with ${networkText}: the time until the heading is
painted, the time until the scripts have taken over, and compressed sizes. The script of candle charts has 50 kB more.

${pageTable}

On loaded pages, the time from an input to the next paint (Event Timing, in steps of 8 ms):

${interactionTable}
`
console.log(section)
if (!isQuick) writeSection("console", section)

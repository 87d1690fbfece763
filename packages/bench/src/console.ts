/**
 * Measures the time until Chromium paints the console's pages with an empty cache, and the transferred bytes of
 * scripts. `node src/console.ts` runs the bench.
 */
import { findChromium, launchChromium } from "@tapeline/scripts/chromium"
import { startServer } from "@tapeline/scripts/serverProcess"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { median, runConditions, table, writeSection } from "./report.ts"

const isQuick = process.argv.includes("--quick")
const rounds = isQuick ? 1 : 7
const goalPaintMs = 1_000
const goalScriptKb = 300
const loadBefore = loadavg()[0]!.toFixed(1)

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
  readonly paintMs: number
  readonly scriptKb: number
  /** The size in kB of the script that draws candle charts. Pages without candle charts do not load the script. */
  readonly chartsKb: number
}

const measurePage = `(() => {
  const sizes = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js"))
    .map(({ encodedBodySize, name }) => ({ isCharts: name.includes("/CandleChart-"), kb: encodedBodySize / 1000 }))
  const sum = (isCharts) => sizes.filter((size) => size.isCharts === isCharts).reduce((all, { kb }) => all + kb, 0)
  const [paint] = performance.getEntriesByName("first-contentful-paint")
  return { paintMs: paint?.startTime ?? Infinity, scriptKb: sum(false), chartsKb: sum(true) }
})()`

const chromiumPath = findChromium()
if (chromiumPath === null) throw new Error("No Chromium: install chromium, or set TEST_CHROMIUM")
const folder = mkdtempSync(join(tmpdir(), "tapeline-bench-"))
const server = await startServer({ PORT: "0", TAPELINE_DATA_DIR: join(folder, "data") }, /#tl_link_\w+/u)
const browser = await launchChromium(chromiumPath)

const openPage = async (
  path: string,
  storageState: Awaited<ReturnType<typeof signIn>> | undefined
): Promise<PageMeasurement> => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...(storageState === undefined ? {} : { storageState })
  })
  const page = await context.newPage()
  await page.goto(`${server.url}/app${path}`)
  await page.locator("main h1").first().waitFor()
  await page.locator("[role=status][aria-label]").first().waitFor({ state: "detached" })
  const measurement = await page.evaluate<PageMeasurement>(measurePage)
  await context.close()
  return measurement
}

const signIn = async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(/http\S+#tl_link_\w+/u.exec(server.startOutput)![0])
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.waitForURL(({ pathname }) => !pathname.endsWith("/sign-in"))
  const state = await context.storageState()
  await context.close()
  return state
}

const rows = new Map<string, Array<PageMeasurement>>()
try {
  const storageState = await signIn()
  for (let round = 0; round < rounds; round++) {
    for (const path of paths) {
      const measurement = await openPage(path, path === "/sign-in" ? undefined : storageState)
      console.log(`${path}: painted after ${measurement.paintMs.toFixed(0)} ms`)
      rows.set(path, [...rows.get(path) ?? [], measurement])
    }
  }
} finally {
  await browser.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

const consoleTable = table(
  [
    "page",
    "first paint, ms",
    "slowest, ms",
    `of ${goalPaintMs} ms`,
    "script, kB",
    `of ${goalScriptKb} kB`,
    "charts, kB"
  ],
  [...rows].map(([path, all]) => {
    const paint = median(all.map(({ paintMs }) => paintMs))
    const { chartsKb, scriptKb } = all[0]!
    return [
      `\`/app${path}\``,
      paint.toFixed(0),
      Math.max(...all.map(({ paintMs }) => paintMs)).toFixed(0),
      (paint / goalPaintMs).toFixed(2),
      scriptKb.toFixed(0),
      (scriptKb / goalScriptKb).toFixed(2),
      chartsKb === 0 ? "" : chartsKb.toFixed(0)
    ]
  })
)

const section = `## The console

${
  runConditions(new Date())
}, Chromium ${browser.version()}, load average before the run ${loadBefore}. Medians of ${rounds}
page views by a browser with an empty cache: \`first-contentful-paint\`, and the compressed size of the scripts.

${consoleTable}
`
console.log(section)
if (!isQuick) writeSection("console", section)

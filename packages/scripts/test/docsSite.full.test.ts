/// <reference lib="dom" />
import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findChromium, launchChromium } from "../src/chromium.ts"
import { readManifest, root } from "../src/manifest.ts"
import { type ServerProcess, startServer } from "../src/serverProcess.ts"
import { publishSite } from "../src/site/buildSite.ts"
import { siteDir } from "../src/site/siteConfig.ts"

const chromium = findChromium()
const isInstalled = existsSync(join(siteDir, "node_modules/vitepress"))
const options = {
  timeout: 120_000,
  ...skipWithoutProgram(
    "chromium and the generator of the documentation site: install Chromium, and run `npm run docs:site`",
    chromium !== null && isInstalled && findProgram("npm") !== null
  )
}

const folder = mkdtempSync(join(tmpdir(), "tapeline-site-"))
let browser: Browser
let server: ServerProcess

const { version } = readManifest(join(root, "package.json"))
/** The folder of the published versions. */
const publishedDir = join(folder, "published")
const siteFolder = join(publishedDir, version)
const sitePath = `/docs/guide/${version}/`

beforeAll(async () => {
  if (!isInstalled || chromium === null) return
  mkdirSync(join(publishedDir, "0.0.9"), { recursive: true })
  writeFileSync(join(publishedDir, "0.0.9/hashmap.json"), "{}")
  const icon = "<link rel=\"icon\" href=\"data:,\">"
  writeFileSync(join(publishedDir, "0.0.9/index.html"), `<!doctype html><title>The older version</title>${icon}`)
  await publishSite(publishedDir)
  const dataDir = join(folder, "data")
  const settings = { PORT: "0", TAPELINE_DATA_DIR: dataDir, TAPELINE_DOCS_SITE: publishedDir }
  const started = await Promise.all([startServer(settings, /^Data is stored in/mu), launchChromium(chromium)])
  server = started[0]
  browser = started[1]
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Opens a page, and closes it after `visit`. Fails if the browser reports an error or a violated policy. */
const visitPage = async (
  url: string,
  visit: (page: Page) => Promise<void>,
  context: BrowserContextOptions = {}
): Promise<void> => {
  const openContext = await browser.newContext(context)
  const page = await openContext.newPage()
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text())
  })
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  try {
    await page.goto(url, { waitUntil: "networkidle" })
    await visit(page)
    expect(faults).toEqual([])
  } finally {
    await openContext.close()
  }
}

const siteUrl = (path: string): string => `${server.url}${sitePath}${path}`

describe("The built documentation site", options, () => {
  it("has a page for each page of docs, and resolves every link, picture and anchor", () => {
    const read = (path: string) => readFileSync(join(siteFolder, path), "utf8")
    const pages = globSync("**/*.html", { cwd: siteFolder })
    const sources = globSync("docs/**/*.md", { cwd: root })
      .map((path) => path.slice("docs/".length).replace(/(^|\/)README\.md$/u, "$1index.md").replace(/\.md$/u, ".html"))
    expect(pages.toSorted()).toEqual([...sources, "404.html"].sort())
    const anchorsOf = new Map(
      pages.map((path) => [path, new Set([...read(path).matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id!))])
    )
    let linkCount = 0
    const broken = pages.flatMap((path) =>
      [...read(path).matchAll(/ (?:href|src)="([^"]+)"/gu)].map(([, link]) => link!)
        .filter((link) => !/^(https?|mailto|data):/u.test(link))
        .filter((link) => {
          linkCount++
          const [target = "", anchor = ""] = link.split("#")
          const found = target === ""
            ? path
            : target.startsWith(sitePath)
            ? target.slice(sitePath.length)
            : posix.join(posix.dirname(path), target)
          const file = found === "" || found === "." || found.endsWith("/") ? posix.join(found, "index.html") : found
          if (path !== "404.html" && anchor !== "" && anchorsOf.has(file)) {
            return !anchorsOf.get(file)!.has(decodeURIComponent(anchor)) && anchor !== "VPContent"
          }
          return !existsSync(join(siteFolder, file))
        })
        .map((link) => `${path}: ${link}`)
    )
    expect(broken).toEqual([])
    expect(linkCount).toBeGreaterThan(2_000)
  })

  it("has neither inline scripts nor comments of the sources, and no link out of docs", () => {
    for (const path of globSync("**/*.html", { cwd: siteFolder })) {
      const html = readFileSync(join(siteFolder, path), "utf8")
      expect(html, path).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|<!-- before/u)
      expect(html, path).not.toMatch(/href="[^"]*\/(packages|deploy|examples)\//u)
    }
  })
})

describe("The documentation site of a server", options, () => {
  it("opens pages by the sidebar, links between pages and headings, without reloading", () =>
    visitPage(siteUrl(""), async (page) => {
      await page.getByRole("heading", { name: "Tapeline documentation" }).waitFor()
      await page.evaluate(() => void (document.body.dataset["isKept"] = "yes"))
      await page.locator(".VPSidebar").getByRole("link", { name: "Credits", exact: true }).click()
      await page.getByRole("heading", { level: 1 }).filter({ hasText: "Credits" }).waitFor()
      await page.locator(".vp-doc").getByRole("link", { name: "life of a call" }).first().click()
      await page.waitForURL(/\/life-of-a-call\.html$/u)
      await page.locator(".pager-link.next").click()
      await page.waitForURL(/\/offline-analyst\.html$/u)
      expect(await page.evaluate(() => document.body.dataset["isKept"])).toBe("yes")
    }))

  it("shows code with colours, and copies a block as it is in the source", () =>
    visitPage(siteUrl("start.html"), async (page) => {
      const source = /```sh[^\n]*\n([^]*?)\n```/u.exec(readFileSync(join(root, "docs/start.md"), "utf8"))![1]!
      const block = page.locator(".language-sh").first()
      expect((await block.locator("code").innerText()).trim()).toBe(source.trim())
      const colours = await block.locator("code span span").evaluateAll((
        spans
      ) => [...new Set(spans.map((span) => getComputedStyle(span).color))])
      expect(colours.length).toBeGreaterThan(1)
      await block.hover()
      await block.locator("button.copy").click()
      await block.locator("button.copied").waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(source)
    }, { permissions: ["clipboard-read", "clipboard-write"] }))

  it("finds a page by words of its text, and opens the section", () =>
    visitPage(siteUrl("start.html"), async (page) => {
      await page.locator(".VPNavBarSearch button").click()
      await page.locator(".VPLocalSearchBox input").fill("TAPELINE_KEEP_ALIVE_MS")
      const result = page.locator(".VPLocalSearchBox .result").filter({ hasText: "Configuration" }).first()
      await result.waitFor()
      await result.click()
      await page.waitForURL(/\/configuration\.html/u)
      expect(await page.locator(".vp-doc").innerText()).toContain("TAPELINE_KEEP_ALIVE_MS")
    }))

  it("follows the dark mode of the system, and remembers another choice", () =>
    visitPage(siteUrl("concepts.html"), async (page) => {
      const isDark = () => page.evaluate(() => document.documentElement.classList.contains("dark"))
      expect(await isDark()).toBe(true)
      await page.locator(".VPNavBarAppearance button").click()
      expect(await isDark()).toBe(false)
      await page.reload({ waitUntil: "networkidle" })
      expect(await isDark()).toBe(false)
    }, { colorScheme: "dark" }))

  it("shows a page with wide tables, pictures or a script of its own on a phone, without scrolling sideways", async () => {
    for (const path of ["configuration.html", "console.html", "charts.html", "reference/quant.html", "decisions/"]) {
      await visitPage(siteUrl(path), async (page) => {
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(overflow, path).toBeLessThanOrEqual(0)
        const brokenPictures = await page.locator("img").evaluateAll((images) =>
          images.filter((image) => image instanceof HTMLImageElement && image.complete && image.naturalWidth === 0)
            .length
        )
        expect(brokenPictures, path).toBe(0)
      }, { viewport: { width: 390, height: 844 } })
    }
  })
})

describe("Several published versions", options, () => {
  it("open at the newest version, which lists the other versions", () =>
    visitPage(`${server.url}/docs/guide`, async (page) => {
      await page.waitForURL(new RegExp(`/docs/guide/${version}/$`, "u"))
      const list = page.getByRole("combobox", { name: "Version" })
      await list.waitFor()
      expect(await list.locator("option").allInnerTexts()).toEqual([version, "0.0.9"])
      await list.selectOption("0.0.9")
      await page.waitForURL(/\/docs\/guide\/0\.0\.9\/$/u)
      expect(await page.title()).toBe("The older version")
    }))
})

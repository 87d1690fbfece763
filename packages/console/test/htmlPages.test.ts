import { readConsole, type StaticFile } from "@tapeline/console"
import { beforeAll, describe, expect, it } from "vitest"
import { languages } from "../browser/i18n/language.ts"
import { analystTexts } from "../browser/pages/analyst/texts.ts"
import { keysTexts } from "../browser/pages/keys/texts.ts"
import { marketTexts } from "../browser/pages/market/texts.ts"
import { sessionsTexts } from "../browser/pages/sessions/texts.ts"
import { signInTexts } from "../browser/pages/signIn/texts.ts"
import { toolsTexts } from "../browser/pages/tools/texts.ts"
import { usageTexts } from "../browser/pages/usage/texts.ts"
import { prerenderTexts } from "../browser/prerender/texts.ts"

let files: ReadonlyMap<string, StaticFile>
let htmlFiles: ReadonlyArray<StaticFile>
beforeAll(async () => {
  files = new Map(((await readConsole()) ?? []).map((file) => [file.path, file]))
  htmlFiles = [...files.values()].filter(({ path }) => path.startsWith("pages/"))
})

const textOf = ({ bytes }: StaticFile): string => new TextDecoder().decode(bytes)
const compressedLength = ({ brotli, bytes }: StaticFile): number => (brotli ?? bytes).length
const headingsOf = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<h1[^>]*>(.*?)<\/h1>/g)].map(([, heading]) => heading!)
const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("'", "&#x27;").replaceAll("\"", "&quot;")

describe.each(languages)("The HTML of a page before its scripts run (%s)", (language) => {
  const htmlOf = (page: string): string => textOf(files.get(`pages/${language}/${page}.html`)!)

  it.each([
    ["user/market", marketTexts[language]],
    ["user/tools", toolsTexts[language]],
    ["user/index", toolsTexts[language]],
    ["user/keys", keysTexts[language]],
    ["user/usage", usageTexts[language]],
    ["user/sessions", sessionsTexts[language]]
  ])(
    "contains the heading and the lead of the page, and no other text for browsers with scripts: %s",
    (page, texts) => {
      const html = htmlOf(page)
      expect(headingsOf(html)).toEqual([texts.title])
      expect(html).toContain(escapeHtml(texts.lead))
      expect(html).toContain(`<html lang="${language}">`)
      expect(html).toContain(`<noscript><p>${prerenderTexts[language].noScript}</p></noscript>`)
    }
  )

  it("contains the sign-in form and the confirmation of a link, for any address without a session", () => {
    const { confirmLink, title } = signInTexts[language]
    for (const page of ["visitor/[...path]", "user/sign-in"]) {
      expect(headingsOf(htmlOf(page))).toEqual([title, confirmLink])
    }
  })

  it("leaves the names of coins and tools in the address to a script, and contains the words around them", () => {
    expect(headingsOf(htmlOf("user/market/[coin]"))).toEqual([""])
    expect(htmlOf("user/market/[coin]")).toContain("<h1 data-parameter=\"\">")
    expect(htmlOf("user/tools/[name]")).toMatch(/<h1><code class="[^"]*" data-parameter="">/)
    expect(htmlOf("user/market/[coin]")).toContain(marketTexts[language].choose)
    expect(headingsOf(htmlOf("user/analyst"))).toEqual([analystTexts[language].title])
  })
})

it("has an HTML page for each language with equal scripts, and no value of the build", () => {
  expect(htmlFiles.length).toBe(18 * languages.length)
  for (const file of htmlFiles) {
    const html = textOf(file)
    expect.soft(html, file.path).not.toMatch(/PARAMETER|undefined|NaN|Invalid|1970/)
  }
})

it("needs one round trip for the HTML of a page: it fits into the first 14 kB of a connection", () => {
  for (const file of htmlFiles) expect.soft(compressedLength(file), file.path).toBeLessThan(14_000)
})

it("disables buttons and fields, which work only after the scripts", () => {
  for (const file of htmlFiles) {
    expect.soft(textOf(file), file.path).not.toMatch(/<(?:button|input|textarea)(?! disabled="")[\s>]/)
  }
})

it("has inline scripts and styles only without attributes, and no external address", () => {
  for (const file of htmlFiles) {
    const html = textOf(file)
    const inlineElements = [...html.matchAll(/<(?:script|style)>/g)].map(([element]) => element)
    expect.soft(inlineElements, file.path).toEqual(["<script>", "<style>", "<script>"])
    expect.soft(html, file.path).not.toMatch(/ style="/)
    expect.soft(html, file.path).not.toMatch(/<script(?! type="module" crossorigin src="\/app\/)[^>]+>|\son\w+="/)
    const withoutNames = html.replaceAll(/ xmlns="[^"]*"/g, "")
    expect.soft(withoutNames.match(/(?:href|src)="(?!\/app\/|#page")[^"]*"/g) ?? [], file.path).toEqual([])
  }
})

it("loads exactly the scripts of its page in parallel, at most 300 kB without the script of charts", () => {
  for (const file of htmlFiles) {
    const names = [...textOf(file).matchAll(/(?:src|href)="\/app\/([^"]+\.js)"/g)].map(([, name]) => name!)
    const pages = names.flatMap((name) => /assets\/(\w+Page)-/.exec(name)?.[1] ?? [])
    const imported = new Set(
      names.flatMap((name) => [...textOf(files.get(name)!).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)])
        .map(([, name]) => `assets/${name}`)
    )
    expect.soft([...imported].filter((name) => !names.includes(name)), file.path).toEqual([])
    // A task's page shares the dialogs of the list of tasks.
    expect.soft(pages.filter((page) => page !== "TasksPage" || !pages.includes("TaskPage")).length, file.path).toBe(1)
    const scripts = names.filter((name) => !name.includes("/CandleChart-")).map((name) => files.get(name)!)
    const kilobytes = scripts.reduce((sum, script) => sum + compressedLength(script), 0) / 1000
    expect.soft(kilobytes, file.path).toBeLessThan(300)
  }
})

import { readConsole } from "@tapeline/console"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "tapeline-console-"))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it("where nothing was built there is nothing, and a folder without a page is nothing either", async () => {
  expect(await readConsole(join(folder, "none"))).toBeUndefined()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "icon.svg"), "<svg/>")
  expect(await readConsole(folder)).toBeUndefined()
})

it("files are read with their types, their tags and their compressed forms, and what is no file of a page is left out", async () => {
  mkdirSync(join(folder, "assets"), { recursive: true })
  const files = {
    "index.html": "<!doctype html>",
    "index.html.br": "small",
    "assets/main-1a2b.js": "1",
    "assets/main-1a2b.js.gz": "g",
    ".stamp": "x"
  }
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
  const read = await readConsole(folder)
  const text = (bytes: Uint8Array | undefined) => bytes === undefined ? undefined : new TextDecoder().decode(bytes)
  expect(read?.map((file) => ({ ...file, bytes: text(file.bytes), gzip: text(file.gzip), brotli: text(file.brotli) })))
    .toMatchObject([
      { path: "assets/main-1a2b.js", type: "text/javascript; charset=utf-8", immutable: true, bytes: "1", gzip: "g" },
      { path: "index.html", type: "text/html; charset=utf-8", immutable: false, brotli: "small", gzip: undefined }
    ])
  expect(read?.[0]?.etag).not.toBe(read?.[1]?.etag)
})

it("the console that stands built here carries no text for a browser to run in the page itself", async () => {
  const files = await readConsole()
  const index = files?.find(({ path }) => path === "index.html")
  const text = new TextDecoder().decode(index?.bytes)
  expect(text).toContain("<div id=\"root\">")
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//)
  const script = files!.filter(({ path }) => path.endsWith(".js"))
  const kilobytes = script.reduce((sum, { brotli, bytes }) => sum + (brotli ?? bytes).length, 0) / 1000
  console.log(`the console's scripts, all pages together: ${kilobytes.toFixed(0)} kB compressed`)
  expect(kilobytes).toBeLessThan(300)
})

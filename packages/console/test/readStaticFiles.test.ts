import { readConsole, readStaticFiles } from "@tapeline/console"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "tapeline-console-"))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it("returns undefined if the folder is missing or contains no page", async () => {
  expect(await readStaticFiles(join(folder, "none"))).toBeUndefined()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "icon.svg"), "<svg/>")
  expect(await readStaticFiles(folder)).toBeUndefined()
})

it("reads files with their types, ETags and compressed forms, and skips files of no page", async () => {
  for (const path of ["assets", "0.1.0/assets", "0.1.0/.git"]) mkdirSync(join(folder, path), { recursive: true })
  const files = {
    "index.html": "<!doctype html>",
    "index.html.br": "small",
    "assets/main-1a2b.js": "1",
    "assets/main-1a2b.js.gz": "g",
    ".stamp": "x",
    "0.1.0/assets/main-3c4d.js": "2",
    "0.1.0/assets-of-no-build.txt": "t",
    "0.1.0/.htpasswd": "x",
    "0.1.0/.git/config": "x"
  }
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
  const read = await readStaticFiles(folder)
  const text = (bytes: Uint8Array | undefined) => bytes === undefined ? undefined : new TextDecoder().decode(bytes)
  expect(read?.map((file) => ({ ...file, bytes: text(file.bytes), gzip: text(file.gzip), brotli: text(file.brotli) })))
    .toMatchObject([
      { path: "0.1.0/assets-of-no-build.txt", immutable: false },
      { path: "0.1.0/assets/main-3c4d.js", immutable: true },
      { path: "assets/main-1a2b.js", type: "text/javascript; charset=utf-8", immutable: true, bytes: "1", gzip: "g" },
      { path: "index.html", type: "text/html; charset=utf-8", immutable: false, brotli: "small", gzip: undefined }
    ])
  expect(new Set(read?.map(({ etag }) => etag)).size).toBe(4)
})

it("contains no inline script, inline style or external address in the built page", async () => {
  const files = await readConsole()
  const index = files?.find(({ path }) => path === "index.html")
  const text = new TextDecoder().decode(index?.bytes)
  expect(text).toContain("<div id=\"root\">")
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//)
})

it("contains the production build of React, although the tests have another NODE_ENV", async () => {
  const scripts = (await readConsole())?.filter(({ path }) => path.endsWith(".js")) ?? []
  expect(scripts.length).toBeGreaterThan(10)
  for (const { bytes, path } of scripts) {
    expect(new TextDecoder().decode(bytes).includes("react-devtools"), path).toBe(false)
  }
})
